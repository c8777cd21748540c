/** Asks for the model, and tries the address and the key at once. */
import { modelNames, requestModels } from "../../agents/list-models.js";
import type { Config } from "../../config/schema.js";
import type { ModelAnswer } from "./answers.js";
import { type Current, draft } from "./draft.js";
import { askSecret, askText, busy, type Choice, choose, show } from "./prompts.js";
import { tryModel } from "./trying.js";

type Provider = ModelAnswer["provider"];

const PROVIDERS: readonly Choice<Provider>[] = [
  {
    value: "openai-compatible",
    label: "Any server that speaks OpenAI's API",
    hint: "Ollama, vLLM, LM Studio, OpenRouter, …",
  },
  { value: "openai", label: "OpenAI" },
  { value: "anthropic", label: "Anthropic" },
  { value: "echo", label: "None yet", hint: "a built-in echo repeats your messages" },
];

const SERVER = "http://127.0.0.1:11434/v1";

export async function askModel(current: Current): Promise<ModelAnswer> {
  const { model } = current.loaded.config;
  let answer = await askOnce(model);
  for (;;) {
    const next = await tryOut(current, answer);
    if (next === "good" || next === "keep") return answer;
    if (next === "change") answer = await askOnce({ ...model, ...asConfig(answer) });
  }
}

function asConfig({ provider, name, baseUrl }: ModelAnswer) {
  return { provider, default: name, base_url: baseUrl };
}

async function askOnce(model: Pick<Config["model"], "provider" | "default" | "base_url" | "api_key">) {
  const isFirst = model.provider === "echo";
  const provider = await choose(
    "Which model answers?",
    PROVIDERS,
    isFirst ? "openai-compatible" : model.provider,
  );
  if (provider === "echo") return { provider, name: null, baseUrl: null };
  const same = provider === model.provider;
  const baseUrl =
    provider === "openai-compatible"
      ? await askText("Its address", { initial: (same && model.base_url) || SERVER, check: address })
      : same
        ? model.base_url
        : null;
  // Never send a key to another address than it was entered for.
  const known = same && hostOf(baseUrl) === hostOf(model.base_url) ? model.api_key : null;
  const key = await askKey(provider, known !== null);
  const name = await askName(baseUrl, key ?? known, same ? model.default : null);
  return { provider, name, baseUrl, ...(key === undefined ? {} : { key }) };
}

function hostOf(url: string | null): string | undefined {
  return url === null ? undefined : new URL(url).host;
}

function address(text: string): string | undefined {
  const isHttp = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  return isHttp ? undefined : "Give an http(s) address, such as http://127.0.0.1:11434/v1";
}

async function askKey(provider: Provider, hasOne: boolean): Promise<ModelAnswer["key"]> {
  const may = hasOne
    ? " (empty: keep the present one)"
    : provider === "openai-compatible"
      ? " (empty: none)"
      : "";
  const mustSay = !hasOne && provider !== "openai-compatible";
  const key = await askSecret(`Its API key${may}`, (text) =>
    mustSay && text === "" ? "It needs one" : undefined,
  );
  if (key !== "") return key;
  return hasOne ? undefined : null;
}

// --- names --------------------------------------------------------------------------------------------------------

const LIST_MS = 5000;
const MAX_OFFERED = 30;
const OTHER = "";

/** Own servers list their models; vendors have too many to choose from. */
async function askName(baseUrl: string | null, key: string | null, now: string | null): Promise<string> {
  const offered =
    baseUrl === null ? [] : await busy("Asking which models it has", () => listModels(baseUrl, key));
  if (offered.length > 0) {
    const options = [
      ...offered.map((value) => ({ value, label: value })),
      { value: OTHER, label: "Another" },
    ];
    const chosen = await choose(
      "Which one?",
      options,
      now !== null && offered.includes(now) ? now : offered[0]!,
    );
    if (chosen !== OTHER) return chosen;
  }
  const check = (text: string) => (text === "" ? "It has to be one of its models" : undefined);
  return askText("The model's name", { ...(now === null ? {} : { initial: now }), check });
}

async function listModels(baseUrl: string, key: string | null): Promise<string[]> {
  try {
    const service = { provider: "openai-compatible", base_url: baseUrl, api_key: key } as const;
    const answer = await requestModels(service, AbortSignal.timeout(LIST_MS));
    const names = answer ? await modelNames(answer) : [];
    return names.length <= MAX_OFFERED ? names : [];
  } catch {
    // The test question will show whether it can be reached.
    return [];
  }
}

// --- trying -------------------------------------------------------------------------------------------------------

async function tryOut(current: Current, answer: ModelAnswer): Promise<"good" | "keep" | "again" | "change"> {
  if (answer.provider === "echo") return "good";
  const { tried } = draft(current, { model: answer, platforms: {} });
  const finding = await busy("Trying the model", () => tryModel(tried));
  show([finding]);
  if (finding.state === "ok") return "good";
  return choose(
    "What now?",
    [
      { value: "again", label: "Try again" },
      { value: "change", label: "Change the answers" },
      { value: "keep", label: "Continue anyway" },
    ],
    finding.state === "warn" ? "keep" : "change",
  );
}
