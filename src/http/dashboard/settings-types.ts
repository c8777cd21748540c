/** Responses of the settings API. */
import type { DiffLine } from "../../config/diff-lines.js";
import type { Field } from "../../config/field.js";

export interface SettingField extends Omit<Field, "path"> {
  /** Dotted. */
  path: string;
  /** The value in the files. For a secret: asterisks, or false if it isn't set. */
  value: unknown;
  source: string;
  /** A flag or an environment variable overrides the files. */
  locked: boolean;
  /** The running gateway has a different value, so a restart is needed. */
  waits: boolean;
}

export interface SettingsAnswer {
  /** The version of the files. A change must name the version that it is based on. */
  version: string;
  fields: SettingField[];
  /** Descriptions by name. */
  sections: Record<string, string>;
  /** Why the files can't be loaded. If they can't, the values are those of the running gateway. */
  faults: { where: string; path: string; message: string }[];
  ignored: { where: string; path: string }[];
}

export interface SettingsPreview {
  changes: { file: string; lines: DiffLine[] }[];
  faults: { path: string; message: string }[];
}
