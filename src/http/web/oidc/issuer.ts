/** Talks to the OpenID Connect issuer. `openid-client` is loaded at the first login. */
import type * as Oidc from "openid-client";
import type { OidcConfig } from "../../../config/sections/web-chat.js";
import type { Identity } from "./admission.js";
import type { Attempt } from "./attempt.js";

const TIMEOUT_SECONDS = 10;
const DISCOVERY_MS = 3_600_000;
const MAX_BYTES = 1024 * 1024;

/** The message is for the person, `cause` is for the log. */
export class IssuerError extends Error {
  readonly kind: "unavailable" | "refused";

  constructor(kind: IssuerError["kind"], message: string, cause: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

interface Discovered {
  oidc: typeof Oidc;
  configuration: Oidc.Configuration;
}

export class Issuer {
  readonly #config: OidcConfig;
  #cached: { since: number; discovered: Promise<Discovered> } | undefined;

  constructor(config: OidcConfig) {
    this.#config = config;
  }

  /** The issuer's page where the person signs in. */
  async loginUrl({ state, nonce, verifier }: Attempt, redirectUri: string): Promise<URL> {
    const { oidc, configuration } = await this.#discover();
    return oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: [...new Set(["openid", ...this.#config.scopes])].join(" "),
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      ...{ state, nonce },
    });
  }

  /** Who signed in. `callback` is the URL to which the issuer redirected the browser. */
  async identify(callback: URL, { state, nonce, verifier }: Attempt): Promise<Identity> {
    const { oidc, configuration } = await this.#discover();
    try {
      const tokens = await oidc.authorizationCodeGrant(configuration, callback, {
        ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier },
        idTokenExpected: true,
      });
      const claims = tokens.claims()!;
      const { issuer, userinfo_endpoint } = configuration.serverMetadata();
      const userInfo = userinfo_endpoint
        ? [await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub)]
        : [];
      return { issuer, sub: claims.sub, sources: [claims, ...userInfo] };
    } catch (error) {
      throw explained(oidc, error);
    }
  }

  /** Cached for an hour; failures aren't. */
  async #discover(): Promise<Discovered> {
    const cached = this.#cached;
    if (cached && performance.now() - cached.since < DISCOVERY_MS) return cached.discovered;
    const discovered = discover(this.#config);
    const entry = { since: performance.now(), discovered };
    this.#cached = entry;
    try {
      return await discovered;
    } catch (error) {
      if (this.#cached === entry) this.#cached = undefined;
      throw new IssuerError("unavailable", UNREACHABLE, error);
    }
  }
}

const UNREACHABLE = "The service that you sign in with can't be reached. Try again in a moment.";

async function discover({ issuer, client_id, client_secret }: OidcConfig): Promise<Discovered> {
  const oidc = await import("openid-client");
  const url = new URL(issuer!);
  const configuration = await oidc.discovery(url, client_id!, {}, authentication(oidc, client_secret), {
    timeout: TIMEOUT_SECONDS,
    [oidc.customFetch]: cappedFetch,
    // The configuration allows http only on loopback.
    execute: [
      oidc.enableNonRepudiationChecks,
      ...(url.protocol === "http:" ? [oidc.allowInsecureRequests] : []),
    ],
  });
  return { oidc, configuration };
}

/** The standard's default is `client_secret_basic`. */
function authentication(oidc: typeof Oidc, secret: string | null): Oidc.ClientAuth {
  if (secret === null) return oidc.None();
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const method = methods.includes("client_secret_basic") ? oidc.ClientSecretBasic : oidc.ClientSecretPost;
    return method(secret)(server, ...rest);
  };
}

const cappedFetch: Oidc.CustomFetch = async (url, { body, ...options }) => {
  const response = await fetch(url, { ...options, body: body ?? null });
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.byteLength;
    if (bytes > MAX_BYTES)
      throw new Error(`The response of ${new URL(url).host} is larger than ${MAX_BYTES} bytes`);
    parts.push(part);
  }
  const { status, headers } = response;
  return new Response(parts.length > 0 ? Buffer.concat(parts) : null, { status, headers });
};

function explained(oidc: typeof Oidc, error: unknown): IssuerError {
  if (error instanceof oidc.AuthorizationResponseError)
    return new IssuerError("refused", "The sign-in was cancelled or refused.", error);
  if (error instanceof oidc.ResponseBodyError)
    return new IssuerError(
      "refused",
      "The service that you sign in with rejected this gateway's request. See the gateway's log.",
      error,
    );
  const isInvalidResponse = error instanceof oidc.ClientError && error.code !== "OAUTH_TIMEOUT";
  return isInvalidResponse
    ? new IssuerError("refused", "The service's response doesn't belong to this sign-in. Start again.", error)
    : new IssuerError("unavailable", UNREACHABLE, error);
}
