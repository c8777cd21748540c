/** A person logs in to a server: authorization code with PKCE, and a redirect to this machine. */
import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { withTimeout } from "../timeout.js";
import { version } from "../version.js";
import { Callback } from "./callback.js";
import { limitedFetch } from "./limited-fetch.js";
import type { ServerSettings } from "./settings.js";
import { type LoginParts, StoredLogin } from "./stored-login.js";
import { TokenFiles } from "./token-files.js";

export interface LoginOptions {
  server: string;
  settings: ServerSettings;
  home: string;
  /** Shows the login URL to the person. */
  show(address: URL): void;
  /** The redirect URL, if the person pastes it. */
  pasted?: Promise<URL>;
}

const STEP_MS = 60_000;
const PERSON_MS = 600_000;
/** A server may request more scopes after a login, but only a few times. */
const MAX_LOGINS = 2;

type Sdk = typeof import("@modelcontextprotocol/client");

/** Resolves with the number of the server's tools once it accepts the login. */
export async function logIn(options: LoginOptions, signal: AbortSignal): Promise<number> {
  const sdk = await import("@modelcontextprotocol/client");
  const { server, settings, home } = options;
  const callback = await Callback.start(settings.oauth.redirect_port ?? 0);
  try {
    const parts = { server, oauth: settings.oauth, files: new TokenFiles(home, server) };
    const login = new Login(parts, callback, options.show);
    for (let round = 1; ; round += 1) {
      const transport = transportOf(sdk, settings, login);
      const tools = await tried(sdk, transport, login, signal);
      if (tools !== undefined) return tools;
      if (round > MAX_LOGINS) throw new Error("the server doesn't accept the login");
      const answer = await login.answer(options.pasted, signal);
      await withTimeout(transport.finishAuth(answer), STEP_MS, { signal });
    }
  } finally {
    await callback.close();
  }
}

function transportOf(sdk: Sdk, { url, headers }: ServerSettings, login: Login) {
  return new sdk.StreamableHTTPClientTransport(new URL(url!), {
    requestInit: { headers },
    fetch: limitedFetch,
    authProvider: login,
  });
}

/** Undefined if the person has to log in first. */
async function tried(
  sdk: Sdk,
  transport: StreamableHTTPClientTransport,
  login: Login,
  signal: AbortSignal,
): Promise<number | undefined> {
  const client = new sdk.Client({ name: "hermes-gateway", version: version() });
  const work = client.connect(transport, { signal }).then(() => client.listTools(undefined, { signal }));
  try {
    return (await withTimeout(work, STEP_MS, { signal })).tools.length;
  } catch (error) {
    if (login.isAsked) return undefined;
    throw error;
  } finally {
    if (!login.isAsked) await client.close();
  }
}

class Login extends StoredLogin {
  readonly #callback: Callback;
  readonly #show: (address: URL) => void;
  #client: StoredOAuthClientInformation | undefined;
  #verifier = "";
  #discovered: OAuthDiscoveryState | undefined;
  #isAsked = false;

  constructor(parts: LoginParts, callback: Callback, show: (address: URL) => void) {
    super(parts);
    this.#callback = callback;
    this.#show = show;
  }

  /** The person was redirected to the server's page. */
  get isAsked(): boolean {
    return this.#isAsked;
  }

  async answer(pasted: Promise<URL> | undefined, signal: AbortSignal): Promise<URLSearchParams> {
    const answers = [this.#callback.answer(), ...(pasted ? [pasted] : [])];
    const message = `there was no login within ${PERSON_MS / 60_000} minutes`;
    const address = await withTimeout(Promise.race(answers), PERSON_MS, { signal, message });
    if (!this.#callback.isAnswer(address)) throw new Error("that URL belongs to another login");
    const { searchParams } = address;
    const problem = searchParams.get("error_description") ?? searchParams.get("error");
    if (problem !== null) throw new Error(`the server refused the login: ${problem.slice(0, 300)}`);
    this.#isAsked = false;
    return searchParams;
  }

  override get redirectUrl(): string {
    return this.#callback.url;
  }

  state(): string {
    return this.#callback.state;
  }

  /** Registers again for each login, because the redirect port changes. */
  override async clientInformation(): Promise<StoredOAuthClientInformation | undefined> {
    const { client_id } = this.parts.oauth;
    if (client_id !== null || (await this.tokens())) return super.clientInformation();
    return this.#client;
  }

  async saveClientInformation(client: StoredOAuthClientInformation): Promise<void> {
    this.#client = client;
    await this.parts.files.saveClient(client);
  }

  override async redirectToAuthorization(url: URL): Promise<void> {
    this.#isAsked = true;
    this.#show(url);
  }

  override saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  override codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovered = state;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovered;
  }
}
