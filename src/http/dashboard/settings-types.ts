/** The form of settings, as the page reads it. */
import type { DiffLine } from "../../config/diff-lines.js";
import type { Field } from "../../config/field.js";

export interface SettingField extends Omit<Field, "path"> {
  /** Dotted. */
  path: string;
  /** As the files say now. Of a secret: false, or asterisks. */
  value: unknown;
  source: string;
  /** A flag or a variable of the environment wins over the files. */
  locked: boolean;
  /** The running gateway has another value: a restart is needed. */
  waits: boolean;
}

export interface SettingsAnswer {
  /** Of the files; a change names the version that it was made from. */
  version: string;
  fields: SettingField[];
  /** Names and descriptions. */
  sections: Record<string, string>;
  /** Why the files can't be loaded as they are; the values are those of the running gateway then. */
  faults: { where: string; path: string; message: string }[];
  ignored: { where: string; path: string }[];
}

export interface SettingsPreview {
  changes: { file: string; lines: DiffLine[] }[];
  faults: { path: string; message: string }[];
}
