/** What one key can't know of another. Asked of the unchecked tree, so that these faults are listed with all others. */

import { urlRefusal } from "../public-address.js";
import type { Complaint } from "./faults.js";
import { nearest } from "./nearest.js";
import { configSchema } from "./schema.js";
import { isAddress } from "./sections/webhooks.js";
import { getIn, isTree } from "./tree.js";
import { keysOf, schemaAt } from "./walk.js";

export const KNOWN_PLATFORMS: readonly string[] = keysOf(schemaAt(configSchema, ["platforms"]));

export function crossCheck(tree: unknown): Complaint[] {
  return [
    ...checkPlatforms(getIn(tree, ["platforms"])),
    ...checkModels(tree),
    ...checkWebhooks(getIn(tree, ["webhooks"])),
    ...checkHooks(getIn(tree, ["hooks", "webhooks"])),
    ...checkSecrets(tree),
  ];
}

function* checkPlatforms(platforms: unknown): Generator<Complaint> {
  if (!isTree(platforms)) return;
  for (const [name, platform] of Object.entries(platforms)) {
    const path = ["platforms", name];
    const meant = KNOWN_PLATFORMS.includes(name) ? undefined : nearest(name, KNOWN_PLATFORMS);
    if (meant) yield { path, message: `is not a platform (did you mean \`${meant}\`?)` };
    const takesToken = keysOf(schemaAt(configSchema, path)).includes("token");
    const named = KNOWN_PLATFORMS.includes(name);
    if (named && takesToken && getIn(platform, ["enabled"]) === true && getIn(platform, ["token"]) == null) {
      const variable = `${name.toUpperCase()}_BOT_TOKEN`;
      yield {
        path: [...path, "token"],
        at: [...path, "enabled"],
        message: `is missing, but ${name} is enabled (set it, or ${variable})`,
      };
    }
  }
}

function* checkHooks(hooks: unknown): Generator<Complaint> {
  for (const [name, hook] of Object.entries(isTree(hooks) ? hooks : {})) {
    const url = getIn(hook, ["url"]);
    if (typeof url !== "string" || !URL.canParse(url)) continue;
    const refusal = urlRefusal(new URL(url), getIn(hook, ["allow_private"]) === true);
    if (refusal !== undefined) yield { path: ["hooks", "webhooks", name, "url"], message: refusal };
  }
}

function* checkModels(tree: unknown): Generator<Complaint> {
  yield* checkModel(tree, ["model"]);
  const fallback = getIn(tree, ["model", "fallback"]);
  if (Array.isArray(fallback))
    for (const index of fallback.keys()) yield* checkModel(tree, ["model", "fallback", index]);
}

function* checkModel(tree: unknown, path: PropertyKey[]): Generator<Complaint> {
  const provider = getIn(tree, [...path, "provider"]);
  if (typeof provider !== "string" || provider === "echo") return;
  const missing = (key: string) => getIn(tree, [...path, key]) == null;
  const complain = (key: string) => ({
    path: [...path, key],
    at: [...path, "provider"],
    message: `is missing, but the provider is ${JSON.stringify(provider)}`,
  });
  if (missing("default")) yield complain("default");
  if (provider === "openai-compatible" && missing("base_url")) yield complain("base_url");
}

function* checkWebhooks(webhooks: unknown): Generator<Complaint> {
  for (const [name, webhook] of Object.entries(isTree(webhooks) ? webhooks : {})) {
    const deliver = getIn(webhook, ["deliver"]);
    if (typeof deliver !== "string" || !isAddress(deliver)) continue;
    const path = ["webhooks", name, "deliver"];
    const allowPrivate = getIn(webhook, ["allow_private"]) === true;
    const refusal = URL.canParse(deliver) ? urlRefusal(new URL(deliver), allowPrivate) : "is not a URL";
    if (refusal !== undefined) yield { path, message: refusal };
    if (getIn(webhook, ["callback_secret"]) == null)
      yield {
        path: ["webhooks", name, "callback_secret"],
        at: path,
        message: "is missing: callbacks are signed",
      };
  }
}

/** Whoever learns the secret of one door must not hold those of the others. */
function* checkSecrets(tree: unknown): Generator<Complaint> {
  const seen = new Map<string, string>();
  for (const path of doors(tree)) {
    const secret = getIn(tree, path);
    if (typeof secret !== "string" || secret === "") continue;
    const other = seen.get(secret);
    if (other !== undefined)
      yield { path, message: `is the same as ${other}: every door has a secret of its own` };
    else seen.set(secret, path.join("."));
  }
}

function* doors(tree: unknown): Generator<string[]> {
  yield ["http", "token"];
  yield ["platforms", "api_server", "api_key"];
  for (const name of namesIn(tree, ["platforms", "api_server", "api_keys"]))
    yield ["platforms", "api_server", "api_keys", name];
  for (const name of namesIn(tree, ["webhooks"]))
    for (const key of ["secret", "callback_secret"]) yield ["webhooks", name, key];
}

function namesIn(tree: unknown, path: readonly string[]): string[] {
  const found = getIn(tree, path);
  return isTree(found) ? Object.keys(found) : [];
}
