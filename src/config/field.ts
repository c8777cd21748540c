/** One setting, as a form sees it. */
export type FieldKind = "switch" | "number" | "text" | "choice" | "list" | "map" | "secret" | "other";

export interface Field {
  path: readonly string[];
  kind: FieldKind;
  description: string;
  /** Of a choice. */
  choices?: readonly string[];
  /** Of a map: its values are lists. */
  ofLists?: true;
  /** Null is a value of its own. */
  nullable: boolean;
  default: unknown;
}
