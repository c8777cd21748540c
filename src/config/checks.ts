/** Checks across several keys. They read the unparsed tree, so that their errors are listed with all others. */

import { credentialsOf } from "../adapters/credentials.js";
import type { Platform } from "../adapters/platform.js";
import { BUILT_IN, builtIn } from "../adapters/platforms.js";
import { urlRefusal } from "../public-address.js";
import { variableOf } from "./environment.js";
import type { Complaint } from "./faults.js";
import { didYouMean, nearest } from "./nearest.js";
import { configSchema } from "./schema.js";
import { isAddress } from "./sections/webhooks.js";
import { getIn, isTree } from "./tree.js";
import { keysOf, schemaAt } from "./walk.js";

export const KNOWN_PLATFORMS: readonly string[] = keysOf(schemaAt(configSchema, ["platforms"]));

export function crossCheck(tree: unknown, external: readonly Platform[] = []): Complaint[] {
  return [
    ...checkPlatforms(getIn(tree, ["platforms"]), external),
    ...checkModels(tree),
    ...checkWebhooks(getIn(tree, ["webhooks"])),
    ...checkHooks(getIn(tree, ["hooks", "webhooks"])),
    ...checkSecrets(tree),
    ...checkToolsets(getIn(tree, ["toolsets"])),
    ...checkMcpServers(getIn(tree, ["mcp_servers"])),
    ...checkAgents(tree),
    ...checkOidc(getIn(tree, ["web_chat", "oidc"])),
  ];
}

function* checkPlatforms(platforms: unknown, external: readonly Platform[]): Generator<Complaint> {
  if (!isTree(platforms)) return;
  const known = [...KNOWN_PLATFORMS, ...external.map(({ name }) => name)];
  for (const [name, settings] of Object.entries(platforms)) {
    const path = ["platforms", name];
    if (!known.includes(name)) {
      const meant = nearest(name, known);
      if (meant) yield { path, message: `is not a platform (did you mean \`${meant}\`?)` };
      continue;
    }
    if (getIn(settings, ["enabled"]) !== true) continue;
    const platform = builtIn(name) ?? external.find((one) => one.name === name)!;
    for (const key of credentialsOf(platform))
      if (getIn(settings, [key]) == null) yield missingCredential(platform, key);
  }
}

function missingCredential(platform: Platform, key: string): Complaint {
  const path = ["platforms", platform.name];
  const variable = variableOf(platform, key);
  const or = variable === undefined ? "" : `, or ${variable}`;
  return {
    path: [...path, key],
    at: [...path, "enabled"],
    message: `is missing, but ${platform.name} is enabled (set it${or})`,
  };
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

/** Every agent has its backend's required keys, and overrides name existing agents. */
function* checkAgents(tree: unknown): Generator<Complaint> {
  yield* checkAgent(tree, [], ["agent", "backend"]);
  const names = namesIn(tree, ["agents"]);
  for (const name of names) yield* checkAgent(tree, ["agents", name], ["agents", name, "backend"]);
  for (const chat of namesIn(tree, ["channel_overrides"])) {
    const path = ["channel_overrides", chat, "agent"];
    const agent = getIn(tree, path);
    if (typeof agent !== "string" || agent === "default" || names.includes(agent)) continue;
    yield { path, message: `is not the name of an agent${didYouMean(agent, names)}` };
  }
}

function* checkAgent(tree: unknown, path: readonly string[], at: string[]): Generator<Complaint> {
  const backend = getIn(tree, at);
  const needed = backend === "acp" ? ["acp", "command"] : backend === "http" ? ["agent_service", "url"] : [];
  if (needed.length > 0 && getIn(tree, [...path, ...needed]) == null)
    yield { path: [...path, ...needed], at, message: `is missing, but the backend is ${String(backend)}` };
}

function* checkToolsets(toolsets: unknown): Generator<Complaint> {
  const includes = new Map(
    Object.entries(isTree(toolsets) ? toolsets : {}).map(([name, set]) => [name, listAt(set, "includes")]),
  );
  for (const name of includes.keys()) {
    const loop = loopFrom(name, includes);
    if (loop) yield { path: ["toolsets", name, "includes"], message: `includes itself: ${loop.join(" → ")}` };
  }
}

function listAt(value: unknown, key: string): string[] {
  const list = getIn(value, [key]);
  return Array.isArray(list) ? list.map(String) : [];
}

/** A way from a toolset back to itself, by its shortest path. */
function loopFrom(start: string, includes: ReadonlyMap<string, string[]>): string[] | undefined {
  const from = new Map<string, string>();
  const open = [start];
  for (let name = open.shift(); name !== undefined; name = open.shift())
    for (const next of includes.get(name) ?? []) {
      if (next === start) return wayTo(name, start, from);
      if (from.has(next)) continue;
      from.set(next, name);
      open.push(next);
    }
  return undefined;
}

function wayTo(last: string, start: string, from: ReadonlyMap<string, string>): string[] {
  const way = [start];
  for (let at = last; at !== start; at = from.get(at)!) way.unshift(at);
  return [start, ...way];
}

/** A secret for one endpoint must not work for another. */
function* checkSecrets(tree: unknown): Generator<Complaint> {
  const seen = new Map<string, string>();
  for (const path of callerSecrets(tree)) {
    const secret = getIn(tree, path);
    if (typeof secret !== "string" || secret === "") continue;
    const other = seen.get(secret);
    if (other !== undefined)
      yield { path, message: `is the same as ${other}: use a different secret for each` };
    else seen.set(secret, path.join("."));
  }
}

function* callerSecrets(tree: unknown): Generator<string[]> {
  yield ["http", "token"];
  for (const { name, callerSecrets: keys = [] } of BUILT_IN as readonly Platform[])
    for (const key of keys) {
      const path = ["platforms", name, key];
      yield path;
      for (const one of namesIn(tree, path)) yield [...path, one];
    }
  for (const name of namesIn(tree, ["webhooks"]))
    for (const key of ["secret", "callback_secret"]) yield ["webhooks", name, key];
}

function namesIn(tree: unknown, path: readonly string[]): string[] {
  const found = getIn(tree, path);
  return isTree(found) ? Object.keys(found) : [];
}

/** Each server has one transport, and names that stay unique as tool names. */
function* checkMcpServers(servers: unknown): Generator<Complaint> {
  const seen = new Map<string, string>();
  for (const [name, server] of Object.entries(isTree(servers) ? servers : {})) {
    const path = ["mcp_servers", name];
    const plain = name.replace(/[^A-Za-z0-9_]/g, "_");
    const other = seen.get(plain);
    if (other !== undefined)
      yield { path, message: `and ${other} give their tools the same names: rename one of them` };
    seen.set(plain, name);
    if (getIn(server, ["enabled"]) === false) continue;
    const ways = ["command", "url"].filter((key) => getIn(server, [key]) != null);
    if (ways.length === 0) yield { path, message: "has neither a command nor a url" };
    if (ways.length === 2) yield { path, message: "has a command and a url: keep one of them" };
  }
}

/** Prevents opening the web chat to everyone by mistake, with an issuer where anyone can register. */
function* checkOidc(oidc: unknown): Generator<Complaint> {
  const issuer = getIn(oidc, ["issuer"]);
  if (typeof issuer !== "string") return;
  const [path, at] = [
    ["web_chat", "oidc"],
    ["web_chat", "oidc", "issuer"],
  ];
  const refusal = URL.canParse(issuer) ? urlRefusal(new URL(issuer), true) : undefined;
  if (refusal !== undefined) yield { path: at, message: refusal };
  if (getIn(oidc, ["client_id"]) == null)
    yield { path: [...path, "client_id"], at, message: "is missing, but there is an issuer" };
  const isLimited = ["allowed_domains", "allowed_groups"].some((key) => listAt(oidc, key).length > 0);
  if (!isLimited && getIn(oidc, ["allow_all"]) !== true)
    yield {
      path,
      at,
      message: "doesn't restrict who may sign in: set allowed_domains, allowed_groups, or allow_all: true",
    };
}
