/** The log: JSON lines, or readable lines on a terminal. Without secrets and people's texts. */
import {
  type DestinationStream,
  destination,
  type Logger,
  type LoggerOptions,
  multistream,
  pino,
  stdTimeFunctions,
} from "pino";
import { SecretRedactor } from "./secrets/redactor.js";
import type { SecretSet } from "./secrets/secret-set.js";
import { redactDotted } from "./secrets/shapes.js";

/** Common fields: `sessionKey`, `turnId`, `messageId`; `err` for errors. */
export type Log = Logger;

/** The methods that the gateway uses. */
export interface GatewayLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface LogOptions {
  level: "debug" | "info" | "warn" | "error" | "silent";
  /** Colours and local time, for people. Off: one JSON object per line. */
  pretty: boolean;
  /** Default: standard error, so stdout contains only output. */
  destination?: DestinationStream;
  /** Also gets every line, as JSON. */
  file?: DestinationStream;
  /** Configured tokens and keys, redacted everywhere. */
  secrets?: readonly string[];
  /** Everything that must not leave the process, including secrets learned later. */
  known?: SecretSet;
}

export async function createLog(options: LogOptions): Promise<Log> {
  const { file, level } = options;
  const target = options.destination ?? standardError();
  const stream = options.pretty ? await prettyStream(target) : target;
  if (!file || level === "silent") return pino(pinoOptions(options), stream);
  const both = multistream([
    { level, stream },
    { level, stream: file },
  ]);
  return pino(pinoOptions(options), both);
}

/** Lines that can't be written (disk full) are kept for the next write, up to this size. Never throws. */
const WAITING_BYTES = 1024 * 1024;

function standardError(): DestinationStream {
  const target = destination({ fd: 2, sync: true, maxLength: WAITING_BYTES });
  target.on("error", () => undefined);
  return target;
}

function pinoOptions({ level, secrets = [], known }: LogOptions): LoggerOptions {
  const shapes = scrubber(secrets);
  const redactor = known && new SecretRedactor(known);
  const scrub = (line: string) => shapes(redactor ? redactor.redact(line) : line);
  return {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: plainError },
    redact: { paths: redactedPaths(), censor: REDACTED },
    // Scrubs the whole line: field redaction misses secrets within text, such as a URL in an error message.
    hooks: { streamWrite: scrub },
  };
}

/** Synchronous, on this thread: lines buffered in a worker are lost if the process dies. */
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

// --- redaction ----------------------------------------------------------------------------------------------------

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
/** Text written by people and models. `msg` is our own text. */
const BODY_NAMES = ["text", "content", "body", "quoted", "prompt"];

/** Each name at the top level and three levels down; the scrubber handles deeper ones. */
function redactedPaths(): string[] {
  return [...SECRET_NAMES, ...BODY_NAMES].flatMap((name) =>
    ["", "*.", "*.*.", "*.*.*."].map((above) => `${above}${name}`),
  );
}

/** Of OAuth: what a server issues isn't known before it is stored. Only by the scrubber, which costs less per name. */
const OAUTH_NAMES = [
  "access_token",
  "refresh_token",
  "id_token",
  "client_secret",
  "registration_access_token",
  "code_verifier",
];

const HIDDEN_NAMES = new Set(
  [...SECRET_NAMES, ...OAUTH_NAMES, ...BODY_NAMES].map((name) => name.toLowerCase()),
);
const STRING_FIELD = /"([A-Za-z_]+)":"(?:[^"\\]|\\.)*"/g;

function hideNamed(line: string): string {
  return line.replace(STRING_FIELD, (field, name: string) =>
    HIDDEN_NAMES.has(name.toLowerCase()) ? `"${name}":"${REDACTED}"` : field,
  );
}

/** Patterns of secrets. No word boundary before a Telegram token: in a URL it follows "bot". */
const SHAPES: readonly [RegExp, string][] = [
  [/(?<!\d)\d+:AA[\w-]{10,}/g, REDACTED],
  [/\bxox[a-z]-[\w-]{6,}/g, REDACTED],
  [/\bxapp-[\w-]{6,}/g, REDACTED],
  [/(?<![A-Za-z0-9])sk-[\w-]{6,}/g, REDACTED],
  [/\b(Bearer\s+)[\w.~+/=-]+/gi, `$1${REDACTED}`],
  [/(:\/\/)[^/@\s"]+@/g, `$1${REDACTED}@`],
];

/** Removes secrets from JSON lines. Ignores short secrets, which would match parts of words. */
function scrubber(secrets: readonly string[]): (line: string) => string {
  // As encoded in a JSON string.
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

/** Standard error fields only: SDK errors contain whole requests with their text. */
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
