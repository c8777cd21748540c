/** A server that is connected, from the handshake to its end. */
import type {
  CallToolResult,
  Client,
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  Resource,
  Tool,
  Transport,
} from "@modelcontextprotocol/client";
import { unlessAborted, withTimeout } from "../timeout.js";
import { version } from "../version.js";
import { serverEnvironment } from "./environment.js";
import { limitedFetch } from "./limited-fetch.js";
import { ServerProcess } from "./server-process.js";
import type { ServerSettings } from "./settings.js";
import { StdioTransport } from "./stdio-transport.js";
import { LoginNeeded, StoredLogin } from "./stored-login.js";
import { type OnSecrets, TokenFiles } from "./token-files.js";

export interface ConnectedServer {
  tools: readonly Tool[];
  has: { resources: boolean; prompts: boolean };
  /** Resolves with the reason when it has ended. */
  ended: Promise<string>;
  /** The server gets the idempotency key with the call, under `_meta`. */
  call(
    name: string,
    args: Record<string, unknown>,
    about: { key: string; signal: AbortSignal },
  ): Promise<CallToolResult>;
  listResources(signal: AbortSignal): Promise<readonly Resource[]>;
  readResource(uri: string, signal: AbortSignal): Promise<ReadResourceResult>;
  listPrompts(signal: AbortSignal): Promise<readonly Prompt[]>;
  getPrompt(name: string, args: Record<string, string>, signal: AbortSignal): Promise<GetPromptResult>;
  /** Whether the server still answers. Never rejects. */
  isAlive(): Promise<boolean>;
  /** Closes it and ends the process. Never rejects. */
  close(): Promise<void>;
}

export interface ConnectParts {
  name: string;
  /** Where logins are kept. */
  home: string;
  settings: ServerSettings;
  /** Of the gateway; servers get a few variables of it. */
  env: Readonly<Record<string, string | undefined>>;
  /** Marks the processes of this gateway. */
  mark: string;
  /** Called with the tokens of the login in use. */
  onSecrets?: OnSecrets | undefined;
  /** The server's tools changed. */
  onTools(tools: readonly Tool[]): void;
  onError(error: Error): void;
}

const ALIVE_MS = 30_000;
const CLOSE_MS = 5000;
const MAX_PAGES = 20;
const LIST_CHANGED_MS = 200;
/** Servers that know it can tell a repeated call from a new one. */
const KEY = "hermes-gateway/idempotency-key";

/** Loaded with the first server that connects. */
type Sdk = typeof import("@modelcontextprotocol/client");

/** Cleans up after a failed or aborted attempt. */
export async function connect(parts: ConnectParts, signal: AbortSignal): Promise<ConnectedServer> {
  const sdk = await import("@modelcontextprotocol/client");
  signal.throwIfAborted();
  const { settings } = parts;
  const login = await loginOf(parts);
  signal.throwIfAborted();
  const { transport, process } = transportOf(sdk, parts, login);
  const client = clientOf(sdk, parts);
  const ended = new Promise<string>((resolve) => {
    client.onclose = () => resolve(process?.lastLine || "the server ended the connection");
  });
  const close = () => closeAll(client, process);
  const timeoutMs = settings.connect_timeout * 1000;
  try {
    const tools = await withTimeout(open(client, transport, timeoutMs, signal), timeoutMs, {
      message: `no answer to initialize within ${settings.connect_timeout} s`,
      signal,
    });
    return { ...verbsOf(client, settings), tools, ended, isAlive: () => isAlive(sdk, client), close };
  } catch (error) {
    await close();
    throw process?.lastLine ? new Error(`${messageOf(error)} (${process.lastLine})`) : error;
  }
}

function transportOf(
  sdk: Sdk,
  { settings, env, mark }: ConnectParts,
  login: StoredLogin | undefined,
): { transport: Transport; process: ServerProcess | undefined } {
  const { command, args, url, headers } = settings;
  if (command !== null) {
    const process = new ServerProcess({ command, args, env: serverEnvironment(env, settings.env, mark) });
    return { transport: new StdioTransport(process, sdk), process };
  }
  const transport = new sdk.StreamableHTTPClientTransport(new URL(url!), {
    requestInit: { headers },
    fetch: limitedFetch,
    ...(login ? { authProvider: login } : {}),
  });
  return { transport, process: undefined };
}

/** Without a stored login, makes no request to the server. */
async function loginOf({ name, home, settings, onSecrets }: ConnectParts): Promise<StoredLogin | undefined> {
  const { auth, oauth, url } = settings;
  if (auth !== "oauth" || url === null) return undefined;
  const login = new StoredLogin({ server: name, oauth, files: new TokenFiles(home, name, onSecrets) });
  if (!(await login.tokens())) throw new LoginNeeded(name);
  return login;
}

/** No sampling, elicitation or roots: the client offers nothing a server could use. */
function clientOf(sdk: Sdk, { onTools, onError }: ConnectParts): Client {
  const client = new sdk.Client(
    { name: "hermes-gateway", version: version() },
    {
      capabilities: {},
      listMaxPages: MAX_PAGES,
      // Schemas are untrusted, so results aren't validated with their patterns.
      jsonSchemaValidator: {
        getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
      },
      listChanged: {
        tools: {
          debounceMs: LIST_CHANGED_MS,
          onChanged: (error, tools) => {
            if (error) onError(error);
            else if (tools) onTools(tools);
          },
        },
      },
    },
  );
  client.onerror = onError;
  return client;
}

async function open(
  client: Client,
  transport: Transport,
  timeout: number,
  signal: AbortSignal,
): Promise<Tool[]> {
  await client.connect(transport, { timeout, signal });
  if (!client.getServerCapabilities()?.tools) return [];
  return (await client.listTools(undefined, { timeout, signal })).tools;
}

type Verbs = Pick<
  ConnectedServer,
  "has" | "call" | "listResources" | "readResource" | "listPrompts" | "getPrompt"
>;

function verbsOf(client: Client, settings: ServerSettings): Verbs {
  const { resources, prompts } = client.getServerCapabilities() ?? {};
  const timeout = settings.timeout * 1000;
  return {
    has: { resources: resources !== undefined, prompts: prompts !== undefined },
    call: (name, args, { key, signal }) =>
      client.callTool({ name, arguments: args, _meta: { [KEY]: key } }, { timeout, signal }),
    listResources: async (signal) => (await client.listResources(undefined, { timeout, signal })).resources,
    readResource: (uri, signal) => client.readResource({ uri }, { timeout, signal }),
    listPrompts: async (signal) => (await client.listPrompts(undefined, { timeout, signal })).prompts,
    getPrompt: (name, args, signal) => client.getPrompt({ name, arguments: args }, { timeout, signal }),
  };
}

/** An error from the server itself is also an answer. */
async function isAlive(sdk: Sdk, client: Client): Promise<boolean> {
  try {
    await client.ping({ timeout: ALIVE_MS });
    return true;
  } catch (error) {
    return error instanceof sdk.ProtocolError;
  }
}

async function closeAll(client: Client, process: ServerProcess | undefined): Promise<void> {
  await process?.end();
  const closing = unlessAborted(client.close(), AbortSignal.timeout(CLOSE_MS));
  await closing.catch(() => undefined);
}

/** What went wrong, with the reason that `fetch` hides. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && cause.message !== ""
    ? `${error.message}: ${cause.message}`
    : error.message;
}
