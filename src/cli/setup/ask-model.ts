/** Asks for the model, and tries the address, the key and the name at once. */
import type { ModelFinding, ModelProblem } from "../../agents/probe.js";
import type { Config } from "../../config/schema.js";
import type { ModelAnswer } from "./answers.js";
import type { Ask } from "./asking.js";
import { type Current, draft, modelKeyNames } from "./draft.js";
import { type Listed, listModels } from "./listed-models.js";
import type { Choice } from "./prompts.js";
import { SERVICES, type Service, serviceOf } from "./services.js";
import { tryModel } from "./trying.js";

type Stage = "service" | "address" | "key" | "list" | "name" | "try" | "done";

/** What is known so far. */
interface Chosen {
  service: Service;
  baseUrl: string | null;
  key: ModelAnswer["key"];
  name: string | null;
  offered: readonly string[];
}

export async function askModel(ask: Ask, current: Current): Promise<ModelAnswer> {
  const now = current.loaded.config.model;
  let chosen: Chosen = { service: serviceOf(now), baseUrl: null, key: undefined, name: null, offered: [] };
  for (let stage: Stage = "service"; stage !== "done"; ) {
    const next: { stage: Stage; chosen?: Partial<Chosen> } = await STAGES[stage](ask, chosen, current);
    chosen = { ...chosen, ...next.chosen };
    stage = next.stage;
  }
  return answerOf(chosen);
}

type StageRunner = (
  ask: Ask,
  chosen: Chosen,
  current: Current,
) => Promise<{ stage: Stage; chosen?: Partial<Chosen> }>;

const STAGES: Record<Exclude<Stage, "done">, StageRunner> = {
  async service(ask, chosen) {
    const isFirst = chosen.service.provider === "echo";
    const options = SERVICES.map((service) => ({ ...service, value: service.id }));
    const id = await ask.choose(
      "Which service runs your model?",
      options,
      isFirst ? SERVICES[0]!.id : chosen.service.id,
    );
    const service = SERVICES.find((one) => one.id === id)!;
    if (service.provider === "echo")
      return { stage: "done", chosen: { service, baseUrl: null, name: null, key: undefined } };
    return { stage: "address", chosen: { service } };
  },

  async address(ask, { service }, current) {
    const now = current.loaded.config.model;
    const used = serviceOf(now).id === service.id ? now.base_url : null;
    const baseUrl = service.isOwn ? await askAddress(ask, used ?? service.baseUrl) : service.baseUrl;
    // Never send a key to another address than it was entered for.
    const key = isSameService(current, service, baseUrl) ? undefined : null;
    return { stage: service.key === "none" ? "list" : "key", chosen: { baseUrl, key } };
  },

  async key(ask, { service, baseUrl }, current) {
    const given = await askKey(ask, service, hasKeyFor(current, service, baseUrl));
    const kept = isSameService(current, service, baseUrl) ? undefined : null;
    return { stage: "list", chosen: { key: given === "" ? kept : given } };
  },

  async list(ask, chosen, current) {
    const model = { ...answerOf(chosen), name: chosen.name ?? "not chosen yet" };
    const { tried } = draft(current, { model, platforms: {} });
    const listed: Listed = await ask.work("Looking up its models", () => listModels(tried.model));
    if (listed.problem) {
      ask.show([withAdvice(listed.problem, chosen.service)]);
      return { stage: await askWhatNow(ask, listed.problem, "list", "name") };
    }
    if (listed.baseUrl !== chosen.baseUrl) ask.say(`Its API is at ${listed.baseUrl}.`);
    return { stage: "name", chosen: { offered: listed.names, baseUrl: listed.baseUrl } };
  },

  async name(ask, { service, offered }, current) {
    const now = current.loaded.config.model;
    return {
      stage: "try",
      chosen: { name: await askName(ask, offered, serviceOf(now).id === service.id ? now.default : null) },
    };
  },

  async try(ask, chosen, current) {
    const { tried } = draft(current, { model: answerOf(chosen), platforms: {} });
    const finding = await ask.work("Trying the model", () => tryModel(tried));
    ask.show([withAdvice(finding, chosen.service)]);
    return { stage: finding.state === "ok" ? "done" : await askWhatNow(ask, finding, "try", "done") };
  },
};

function answerOf({ service, baseUrl, key, name }: Chosen): ModelAnswer {
  return { provider: service.provider, name, baseUrl, ...(key === undefined ? {} : { key }) };
}

// --- questions ----------------------------------------------------------------------------------------------------

function askAddress(ask: Ask, initial: string | null): Promise<string> {
  const example = initial === null ? ", such as http://127.0.0.1:8000/v1" : "";
  return ask.text(`Its address${example}`, { ...(initial === null ? {} : { initial }), check: address });
}

function address(text: string): string | undefined {
  const isHttp = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  return isHttp ? undefined : "Enter an http(s) address, such as http://127.0.0.1:8000/v1";
}

/** The configured one, or one in the provider's own variable. */
function hasKeyFor(current: Current, service: Service, baseUrl: string | null): boolean {
  const { loaded, env } = current;
  if (isSameService(current, service, baseUrl)) return loaded.config.model.api_key !== null;
  return (
    baseUrl === null &&
    modelKeyNames(service.provider)
      .slice(1)
      .some((name) => Boolean(env[name]))
  );
}

/** As the one that the current key was given for. */
function isSameService({ loaded }: Current, { provider }: Service, baseUrl: string | null): boolean {
  const now: Config["model"] = loaded.config.model;
  return provider === now.provider && originOf(baseUrl) === originOf(now.base_url);
}

function originOf(url: string | null): string | undefined {
  return url === null ? undefined : new URL(url).origin;
}

/** Empty: the one that there is, or none. */
async function askKey(ask: Ask, { label, key, keyPage }: Service, hasOne: boolean): Promise<string> {
  const page = keyPage === undefined ? "" : ` (create one at ${keyPage})`;
  const may = hasOne ? " (Enter: keep the current one)" : key === "optional" ? " (Enter: none)" : page;
  const check = (text: string) => {
    if (/\s/.test(text)) return "A key has no spaces";
    return text === "" && !hasOne && key === "required" ? `${label} needs a key${page}` : undefined;
  };
  return ask.secret(`API key${may}`, { check });
}

const OTHER = "";
const MAX_WITHOUT_SEARCH = 12;

async function askName(ask: Ask, offered: readonly string[], now: string | null): Promise<string> {
  if (offered.length > 0) {
    const options: Choice<string>[] = [
      ...offered.map((value) => ({ value, label: value })),
      { value: OTHER, label: "Another", hint: "type its name", always: true },
    ];
    const initial = now !== null && offered.includes(now) ? now : offered[0]!;
    const chosen =
      offered.length > MAX_WITHOUT_SEARCH
        ? await ask.find(`Which of its ${offered.length} models? (type to search)`, options, initial)
        : await ask.choose("Which model?", options, initial);
    if (chosen !== OTHER) return chosen;
  }
  const check = (text: string) => (text === "" ? "Enter a name, as the service writes it" : undefined);
  return ask.text("The model's name", { ...(now === null ? {} : { initial: now }), check });
}

// --- failures -----------------------------------------------------------------------------------------------------

/** In a setup the fix isn't to edit a file. */
function withAdvice(finding: ModelFinding, { keyPage, start }: Service): ModelFinding {
  if (finding.state === "ok" || finding.problem === "busy") return finding;
  const { state, message, problem } = finding;
  const fixes: Record<ModelProblem, string | undefined> = {
    key: `Check that the whole key was pasted and that it is still valid${keyPage ? `: ${keyPage}` : "."}`,
    model: "Choose another model, or check the spelling.",
    address: start ?? "Check the address and that the server is running; most addresses end in /v1.",
    busy: undefined,
    other: "Try again, or choose another model.",
  };
  const fix = fixes[problem ?? "other"];
  return { state, message, ...(fix === undefined ? {} : { fix }), ...(problem ? { problem } : {}) };
}

/** The likeliest fix first. */
function askWhatNow(ask: Ask, { problem }: ModelFinding, again: Stage, on: Stage): Promise<Stage> {
  const retry: Choice<Stage> = { value: again, label: "Try again" };
  const key: Choice<Stage> = { value: "key", label: "Enter another key" };
  const name: Choice<Stage> = { value: "name", label: "Choose another model" };
  const service: Choice<Stage> = { value: "service", label: "Choose another service or address" };
  const goOn: Choice<Stage> = { value: on, label: "Continue anyway" };
  const mayRename = again === "try" ? [name] : [];
  const orders: Record<ModelProblem, Choice<Stage>[]> = {
    key: [key, retry, service, goOn],
    model: [name, retry, key, service, goOn],
    address: [retry, service, key, goOn],
    busy: [goOn, retry, ...mayRename, service],
    other: [...mayRename, retry, key, service, goOn],
  };
  const options = orders[problem ?? "other"];
  return ask.choose("What now?", options, options[0]!.value);
}
