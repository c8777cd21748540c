/** OAuth for the MCP servers of a gateway: uses and refreshes a stored login, and never starts one. */
import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import type { ServerSettings } from "./settings.js";
import type { TokenFiles } from "./token-files.js";

export class LoginNeeded extends Error {
  constructor(server: string) {
    super(`it needs a login: run \`hermes mcp login ${server}\``);
  }
}

/** The login exists but lacks a required scope. */
class RightsNeeded extends Error {
  constructor(server: string, scope: string) {
    super(
      `it needs more scopes: set mcp_servers.${server}.oauth.scope to "${scope}", then run \`hermes mcp logout ${server}\` and ` +
        `\`hermes mcp login ${server}\``,
    );
  }
}

const MAX_SCOPE_CHARS = 500;

export interface LoginParts {
  server: string;
  oauth: ServerSettings["oauth"];
  files: TokenFiles;
}

export class StoredLogin implements OAuthClientProvider {
  protected readonly parts: LoginParts;
  /** The server rejected it. Another process may have stored a newer one. */
  #rejected: string | undefined;

  constructor(parts: LoginParts) {
    this.parts = parts;
  }

  get redirectUrl(): string {
    return "http://127.0.0.1/callback";
  }

  get clientMetadata(): OAuthClientMetadata {
    const { client_secret, scope } = this.parts.oauth;
    return {
      client_name: "Hermes Gateway",
      redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: client_secret === null ? "none" : "client_secret_post",
      ...(scope === null ? {} : { scope }),
    };
  }

  async clientInformation(): Promise<StoredOAuthClientInformation | undefined> {
    const { client_id, client_secret } = this.parts.oauth;
    if (client_id === null) return this.parts.files.client();
    return { client_id, ...(client_secret === null ? {} : { client_secret }) };
  }

  async tokens(): Promise<StoredOAuthTokens | undefined> {
    const tokens = await this.parts.files.tokens();
    return tokens?.access_token === this.#rejected ? undefined : tokens;
  }

  saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    return this.parts.files.saveTokens(tokens);
  }

  async invalidateCredentials(what: string): Promise<void> {
    if (what === "all" || what === "tokens") this.#rejected = (await this.parts.files.tokens())?.access_token;
  }

  async redirectToAuthorization(url: URL): Promise<void> {
    const { server } = this.parts;
    const scope = url.searchParams.get("scope")?.slice(0, MAX_SCOPE_CHARS);
    const isIn = (await this.tokens()) !== undefined;
    throw isIn && scope ? new RightsNeeded(server, scope) : new LoginNeeded(server);
  }

  saveCodeVerifier(_verifier: string): void {
    // Only used by logins.
  }

  codeVerifier(): string {
    throw new LoginNeeded(this.parts.server);
  }
}
