/**
 * The own keys of external platforms. The schema knows the common keys only, so the others are removed from the tree,
 * checked by the platform's own schema, and put back.
 */

import { credentialsOf } from "../adapters/credentials.js";
import type { OwnKeys, Platform, StandardIssue } from "../adapters/platform.js";
import { externalSchema, withEnabled } from "../adapters/settings.js";
import { KNOWN_PLATFORMS } from "./checks.js";
import type { Complaint } from "./faults.js";
import { define, getIn, isTree, setIn, type Tree } from "./tree.js";

export interface OwnSection {
  name: string;
  own: Tree;
  /** As written; undefined: unset. */
  enabled: unknown;
  /** Undefined if its plugin isn't loaded, and the keys stay unchecked. */
  platform: Platform | undefined;
}

/** Removes them from the tree. Sections of unknown platforms stay as they are, unless a plugin may explain them. */
export function takeOwnKeys(
  tree: Tree,
  external: readonly Platform[],
  isPlugin: (name: string) => boolean,
): OwnSection[] {
  for (const { name } of external)
    if (getIn(tree, ["platforms", name]) === undefined) setIn(tree, ["platforms", name], {});
  const sections = getIn(tree, ["platforms"]);
  if (!isTree(sections)) return [];
  return Object.entries(sections).flatMap(([name, section]): OwnSection[] => {
    const platform = external.find((one) => one.name === name);
    const isExternal = !KNOWN_PLATFORMS.includes(name) && (platform !== undefined || isPlugin(name));
    if (!isExternal || !isTree(section)) return [];
    if (platform && platform.settings === undefined)
      return [{ name, own: {}, enabled: section.enabled, platform }];
    const own: Tree = {};
    for (const key of Object.keys(section)) {
      if (Object.hasOwn(externalSchema.shape, key)) continue;
      define(own, key, section[key]);
      delete section[key];
    }
    return [{ name, own, enabled: section.enabled, platform }];
  });
}

/** The section as the platform gets it, or what is wrong with it. */
export function completeSection(
  { name, own, enabled, platform }: OwnSection,
  common: object | undefined,
): { section: object } | { complaints: Complaint[] } {
  const checked = platform ? checkOwn(platform, own) : { value: own };
  if ("complaints" in checked)
    return {
      complaints: checked.complaints.map(({ path, message }) => ({
        path: ["platforms", name, ...path],
        message,
      })),
    };
  const section = { ...checked.value, ...common, enabled: enabled as boolean | undefined };
  return { section: withEnabled(section, platform ? credentialsOf(platform) : ["token"]) };
}

type Checked = { value: object } | { complaints: Complaint[] };

function checkOwn({ settings }: Platform, own: Tree): Checked {
  if (settings === undefined || "schema" in settings) return { value: own };
  try {
    return validate(settings, own);
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error));
  }
}

function validate(settings: OwnKeys, own: Tree): Checked {
  const result =
    typeof settings === "function" ? { value: settings(own) } : settings["~standard"].validate(own);
  if (result instanceof Promise) {
    // Ignored: the check has failed already.
    result.catch(() => undefined);
    return wrong("can't be checked: its schema is asynchronous");
  }
  if (result.issues) return { complaints: result.issues.map(complaintOf) };
  return isTree(result.value)
    ? { value: result.value }
    : wrong("can't be checked: its schema gives no object");
}

function wrong(message: string): Checked {
  return { complaints: [{ path: [], message }] };
}

function complaintOf({ path = [], message }: StandardIssue): Complaint {
  return { path: path.map((part) => (typeof part === "object" ? part.key : part)), message };
}
