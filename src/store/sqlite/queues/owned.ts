import type { Owners } from "../../queues.js";
import { marks } from "../statements.js";

/** An SQL condition for rows of these owners, with its values. */
export function ownedBy(
  owners: Owners | undefined,
  alias = "",
): { condition: string; values: readonly string[] } {
  if (!owners) return { condition: "1", values: [] };
  return { condition: `${alias}owner IN (${marks(owners)})`, values: owners };
}
