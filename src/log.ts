/** Events → one line of JSON each, or readable ones on a terminal. Never a secret, never what somebody wrote. */
import {
  type DestinationStream,
  destination,
  type Logger,
  type LoggerOptions,
  pino,
  stdTimeFunctions,
} from "pino";
import { redactDotted } from "./redact.js";

/** Fields that tie lines together: `sessionKey`, `turnId`, `messageId`; an error goes under `err`. */
export type Log = Logger;

export interface LogOptions {
  level: "debug" | "info" | "warn" | "error" | "silent";
  /** For people: colours, local time. Off: one JSON object a line. */
  pretty: boolean;
  /** Where the lines go; the standard error if left out, so that stdout holds answers only. */
  destination?: DestinationStream;
  /** Configured tokens and keys: taken out wherever they turn up, whatever they look like. */
  secrets?: readonly string[];
}

export async function createLog(options: LogOptions): Promise<Log> {
  const target = options.destination ?? standardError();
  return pino(pinoOptions(options), options.pretty ? await prettyStream(target) : target);
}

/** Lines that can't be written (a full disk) wait for the next one, so many at most: nobody fails over the log. */
const WAITING_BYTES = 1024 * 1024;

function standardError(): DestinationStream {
  const target = destination({ fd: 2, sync: true, maxLength: WAITING_BYTES });
  target.on("error", () => undefined);
  return target;
}

function pinoOptions({ level, secrets = [] }: LogOptions): LoggerOptions {
  const scrub = scrubber(secrets);
  return {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: plainError },
    redact: { paths: redactedPaths(), censor: REDACTED },
    // Paths can't reach into texts (an address with a token in an error message), so the last word is on the line.
    hooks: { streamWrite: scrub },
  };
}

/** On this thread and at once: lines that wait in a worker are lost when the process dies. */
async function prettyStream(target: DestinationStream): Promise<DestinationStream> {
  const { default: pretty } = await import("pino-pretty");
  const { Writable } = await import("node:stream");
  const lines = new Writable({
    decodeStrings: false,
    write: (line: string | Buffer, _, done) => {
      target.write(String(line));
      done();
    },
  });
  const colorize = Boolean(process.stderr.isTTY) && !process.env.NO_COLOR;
  return pretty({
    destination: lines,
    sync: true,
    colorize,
    singleLine: true,
    translateTime: "SYS:HH:MM:ss",
    ignore: "pid,hostname",
  });
}

// --- what stays out -----------------------------------------------------------------------------------------------

const REDACTED = "[redacted]";

const SECRET_NAMES = [
  "token",
  "app_token",
  "appToken",
  "api_key",
  "apiKey",
  "secret",
  "signing_secret",
  "signingSecret",
  "password",
  "authorization",
  "cookie",
];
/** What people and models wrote. `msg` is ours and stays. */
const BODY_NAMES = ["text", "content", "body", "quoted", "prompt"];

/** A name, at the top and three levels down; deeper ones are for the scrubber. */
function redactedPaths(): string[] {
  return [...SECRET_NAMES, ...BODY_NAMES].flatMap((name) =>
    ["", "*.", "*.*.", "*.*.*."].map((above) => `${above}${name}`),
  );
}

const HIDDEN_NAMES = new Set([...SECRET_NAMES, ...BODY_NAMES].map((name) => name.toLowerCase()));
const STRING_FIELD = /"([A-Za-z_]+)":"(?:[^"\\]|\\.)*"/g;

function hideNamed(line: string): string {
  return line.replace(STRING_FIELD, (field, name: string) =>
    HIDDEN_NAMES.has(name.toLowerCase()) ? `"${name}":"${REDACTED}"` : field,
  );
}

/** Shapes of secrets. No word boundary before a Telegram token: in an address it follows the word "bot". */
const SHAPES: readonly [RegExp, string][] = [
  [/(?<!\d)\d+:AA[\w-]{10,}/g, REDACTED],
  [/\bxox[a-z]-[\w-]{6,}/g, REDACTED],
  [/\bxapp-[\w-]{6,}/g, REDACTED],
  [/(?<![A-Za-z0-9])sk-[\w-]{6,}/g, REDACTED],
  [/\b(Bearer\s+)[\w.~+/=-]+/gi, `$1${REDACTED}`],
  [/(:\/\/)[^/@\s"]+@/g, `$1${REDACTED}@`],
];

/** A line without secrets. Made for JSON lines; short secrets are left alone, they would take words apart. */
function scrubber(secrets: readonly string[]): (line: string) => string {
  // As they stand inside of a JSON string.
  const literal = secrets
    .filter((secret) => secret.length >= 6)
    .map((secret) => JSON.stringify(secret).slice(1, -1));
  return (line) => {
    let clean = redactDotted(hideNamed(line), REDACTED);
    for (const [shape, replacement] of SHAPES) clean = clean.replace(shape, replacement);
    for (const secret of literal) clean = clean.replaceAll(secret, REDACTED);
    return clean;
  };
}

/** Only what every error has: those of an SDK carry whole requests, and what was said in them. */
function plainError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const { code, hint } = error as { code?: unknown; hint?: unknown };
  return {
    type: name,
    message,
    ...(typeof code === "string" ? { code } : {}),
    ...(typeof hint === "string" ? { hint } : {}),
    stack,
    ...(cause === undefined ? {} : { cause: plainError(cause) }),
  };
}
