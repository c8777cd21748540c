/** Sends a short request to check a model's URL and key; returns the fix if it fails. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Finding, found } from "../finding.js";
import { KEY_NAMES, type ModelEndpoint, modelName, openModel } from "./model/endpoint.js";
import { classify, type RequestFailed } from "./model/failures.js";
import { ask, type ModelRequest } from "./model/request.js";
import { unreachableReason } from "./unreachable.js";

/** What is wrong: which answer of a setup has to change. */
export type ModelProblem = "key" | "model" | "address" | "busy" | "other";

export interface ModelFinding extends Finding {
  problem?: ModelProblem;
}

const QUESTION: ModelRequest = {
  system: "This is a test of the connection.",
  messages: [{ role: "user", content: "Answer with the word OK." }],
  tools: [],
  mayCall: false,
  // Reasoning models may use up a small token limit before they answer.
  mustSpeak: false,
  maxTokens: 64,
};

const PATIENCE_MS = 30_000;

export async function probeModel(
  endpoint: ModelEndpoint,
  signal: AbortSignal,
  patienceMs = PATIENCE_MS,
): Promise<ModelFinding> {
  if (endpoint.provider === "echo")
    return found.ok("echo: repeats messages; run `hermes setup` to configure a model");
  const startMs = performance.now();
  try {
    await firstWord(endpoint, signal, patienceMs);
    const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
    return found.ok(`${modelName(endpoint)} answers (${seconds} s)`);
  } catch (error) {
    return explain(classify(error), endpoint);
  }
}

/** Stops after the first token. */
async function firstWord(endpoint: ModelEndpoint, signal: AbortSignal, patienceMs: number): Promise<void> {
  const limits = { firstWordMs: patienceMs, idleMs: patienceMs, totalMs: patienceMs };
  const words = ask(await openModel(endpoint), QUESTION, limits, signal);
  await words.next();
  // Ends the request without waiting for a server that doesn't close.
  await Promise.race([words.return(undefined as never), sleep(1000, undefined, { ref: false })]);
}

function explain(failed: RequestFailed, endpoint: ModelEndpoint): ModelFinding {
  const { kind, message, cause } = failed;
  const { api_key: key, base_url: address, provider } = endpoint;
  const words = withoutBody(message);
  const said = shorten(key === null ? words : words.replaceAll(key, "****"));
  const name = modelName(endpoint);
  const status = /^HTTP (\d+)/.exec(message)?.[1];
  const at = address ? ` (${address})` : "";
  if (kind === "rate_limit")
    return {
      ...found.warn(`${name} is busy: ${said}`, "The key is valid. Check its limits if this persists."),
      problem: "busy",
    };
  if (kind === "timeout")
    return {
      ...found.warn(`${name} didn't answer: ${said}`, "A local model may still be loading: try again."),
      problem: "busy",
    };
  if (kind === "credentials")
    return {
      ...found.fail(`${name}: the key was rejected (${said})`, `Set ${KEY_NAMES[provider]} in .env.`),
      problem: "key",
    };
  if (isAboutModel(status, message, endpoint.default))
    return {
      ...found.fail(
        `${name} wasn't found: ${said}`,
        "Check model.default: `hermes models` lists what the service has.",
      ),
      problem: "model",
    };
  if (status === "404")
    return {
      ...found.fail(`${name} wasn't found: ${said}`, `Check model.base_url${at}; most end in /v1.`),
      problem: "address",
    };
  if (kind === "network")
    return {
      ...found.fail(
        `${name} can't be reached: ${unreachableReason(cause) ?? said}`,
        `Check model.base_url${at} and that the server is running.`,
      ),
      problem: "address",
    };
  return {
    ...found.fail(`${name} returned no answer: ${said}`, "Check model.* in config.yaml."),
    problem: "other",
  };
}

/** Services answer 404, some 400, and name the model or say the word. */
function isAboutModel(status: string | undefined, message: string, model: string | null): boolean {
  if (status !== "404" && status !== "400") return false;
  return /\bmodel/i.test(message) || (model !== null && message.includes(model));
}

/** The body of the answer is shown only if it says more than the message that was read from it. */
function withoutBody(message: string): string {
  const [first = "", ...rest] = message.split(" | ");
  const words = first.replace(/^HTTP \d+: /, "");
  return words !== "" && rest.some((part) => part.includes(words)) ? first : message;
}

const MAX_WORDS = 160;

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length > MAX_WORDS ? `${line.slice(0, MAX_WORDS)}…` : line;
}
