/** Secrets go to `.env`, under the variable that `config.yaml` refers to, if any. */
import { setVariable } from "./edit-env.js";
import { editYaml, readRaw } from "./edit-yaml.js";
import type { ConfigTexts } from "./load.js";

const REFERENCE = /^\$\{([A-Za-z_]\w*)(?::-[^}]*)?\}$/;

export interface Secret {
  path: string[];
  /** The variable that sets the key. */
  variable: string;
  value: string;
}

/** The variable that the file refers to. */
export function referenceAt(config: string, path: readonly string[]): string | undefined {
  const raw = readRaw(config, path);
  return typeof raw === "string" ? REFERENCE.exec(raw)?.[1] : undefined;
}

/** A secret in the file itself moves to `.env`. */
export function placeSecrets(texts: ConfigTexts, secrets: readonly Secret[]) {
  const variables: Record<string, string> = {};
  let { config, env } = texts;
  for (const { path, variable, value } of secrets) {
    const reference = referenceAt(config, path);
    if (reference === undefined) config = editYaml(config, [{ path, value: undefined }]);
    env = setVariable(env, reference ?? variable, value);
    variables[reference ?? variable] = value;
  }
  return { texts: { config, env }, variables };
}
