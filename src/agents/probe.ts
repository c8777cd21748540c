/** Sends a short request to check a model's URL and key; returns the fix if it fails. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Finding, found } from "../finding.js";
import { type Connection, KEY_NAMES, modelName, openModel } from "./model/connection.js";
import { classify, type RequestFailed } from "./model/failures.js";
import { ask, type ModelRequest } from "./model/request.js";

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
  connection: Connection,
  signal: AbortSignal,
  patienceMs = PATIENCE_MS,
): Promise<Finding> {
  if (connection.provider === "echo")
    return found.ok("echo: repeats messages; run `hermes setup` to configure a model");
  const startMs = performance.now();
  try {
    await firstWord(connection, signal, patienceMs);
    const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
    return found.ok(`${modelName(connection)} answers (${seconds} s)`);
  } catch (error) {
    return explain(classify(error), connection);
  }
}

/** Stops after the first token. */
async function firstWord(connection: Connection, signal: AbortSignal, patienceMs: number): Promise<void> {
  const limits = { firstWordMs: patienceMs, idleMs: patienceMs, totalMs: patienceMs };
  const words = ask(await openModel(connection), QUESTION, limits, signal);
  await words.next();
  // Ends the request without waiting for a server that doesn't close.
  await Promise.race([words.return(undefined as never), sleep(1000, undefined, { ref: false })]);
}

function explain({ kind, message }: RequestFailed, connection: Connection): Finding {
  const { api_key: key, base_url: address, provider } = connection;
  const said = shorten(key === null ? message : message.replaceAll(key, "****"));
  const name = modelName(connection);
  const status = /^HTTP (\d+)/.exec(message)?.[1];
  if (kind === "rate_limit")
    return found.warn(`${name} is busy: ${said}`, "The key is valid. Check its limits if this persists.");
  if (kind === "timeout")
    return found.warn(`${name} didn't answer: ${said}`, "A local model may still be loading: try again.");
  if (kind === "credentials")
    return found.fail(`${name}: the key was rejected (${said})`, `Set ${KEY_NAMES[provider]} in .env.`);
  if (status === "404")
    return found.fail(
      `${name} wasn't found: ${said}`,
      `Check model.default and model.base_url${address ? ` (${address}; most end in /v1)` : ""}.`,
    );
  if (kind === "network")
    return found.fail(
      `${name} can't be reached: ${said}`,
      `Check model.base_url${address ? ` (${address})` : ""} and that the server is running.`,
    );
  return found.fail(`${name} returned no answer: ${said}`, "Check model.* in config.yaml.");
}

const MAX_WORDS = 160;

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length > MAX_WORDS ? `${line.slice(0, MAX_WORDS)}…` : line;
}
