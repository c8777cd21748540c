/** The issuer: where it sends people to, and what it says about them. `openid-client` is loaded at the first login. */
import type * as Oidc from "openid-client";
import type { OidcConfig } from "../../../config/sections/web-chat.js";
import type { Identity } from "./admission.js";
import type { Attempt } from "./attempt.js";

const TIMEOUT_SECONDS = 10;
const KNOWN_MS = 3_600_000;
const MAX_BYTES = 1024 * 1024;

/** What went wrong, in words for the person; `cause` is for the log. */
export class IssuerError extends Error {
  readonly kind: "unavailable" | "refused";

  constructor(kind: IssuerError["kind"], message: string, cause: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

interface Known {
  oidc: typeof Oidc;
  found: Oidc.Configuration;
}

export class Issuer {
  readonly #config: OidcConfig;
  #known: { since: number; answer: Promise<Known> } | undefined;

  constructor(config: OidcConfig) {
    this.#config = config;
  }

  /** Where the browser goes to sign in. */
  async loginUrl({ state, nonce, verifier }: Attempt, redirectUri: string): Promise<URL> {
    const { oidc, found } = await this.#discover();
    return oidc.buildAuthorizationUrl(found, {
      redirect_uri: redirectUri,
      scope: [...new Set(["openid", ...this.#config.scopes])].join(" "),
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      ...{ state, nonce },
    });
  }

  /** Who came back: `answer` is the address that the issuer sent the browser to. */
  async identify(answer: URL, { state, nonce, verifier }: Attempt): Promise<Identity> {
    const { oidc, found } = await this.#discover();
    try {
      const tokens = await oidc.authorizationCodeGrant(found, answer, {
        ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier },
        idTokenExpected: true,
      });
      const claims = tokens.claims()!;
      const { issuer, userinfo_endpoint } = found.serverMetadata();
      const more = userinfo_endpoint
        ? [await oidc.fetchUserInfo(found, tokens.access_token, claims.sub)]
        : [];
      return { issuer, sub: claims.sub, sources: [claims, ...more] };
    } catch (error) {
      throw explained(oidc, error);
    }
  }

  /** Asked again after an hour, and after a failure. */
  async #discover(): Promise<Known> {
    const known = this.#known;
    if (known && performance.now() - known.since < KNOWN_MS) return known.answer;
    const answer = discover(this.#config);
    const asked = { since: performance.now(), answer };
    this.#known = asked;
    try {
      return await answer;
    } catch (error) {
      if (this.#known === asked) this.#known = undefined;
      throw new IssuerError("unavailable", UNREACHABLE, error);
    }
  }
}

const UNREACHABLE = "The service that you sign in with can't be reached. Try again in a moment.";

async function discover({ issuer, client_id, client_secret }: OidcConfig): Promise<Known> {
  const oidc = await import("openid-client");
  const url = new URL(issuer!);
  const found = await oidc.discovery(url, client_id!, {}, authentication(oidc, client_secret), {
    timeout: TIMEOUT_SECONDS,
    [oidc.customFetch]: cappedFetch,
    // The configuration allows http on this machine only.
    execute: [
      oidc.enableNonRepudiationChecks,
      ...(url.protocol === "http:" ? [oidc.allowInsecureRequests] : []),
    ],
  });
  return { oidc, found };
}

/** Basic is what the standard assumes of clients that say nothing else. */
function authentication(oidc: typeof Oidc, secret: string | null): Oidc.ClientAuth {
  if (secret === null) return oidc.None();
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const way = methods.includes("client_secret_basic") ? oidc.ClientSecretBasic : oidc.ClientSecretPost;
    return way(secret)(server, ...rest);
  };
}

const cappedFetch: Oidc.CustomFetch = async (url, { body, ...options }) => {
  const response = await fetch(url, { ...options, body: body ?? null });
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.byteLength;
    if (bytes > MAX_BYTES)
      throw new Error(`The answer of ${new URL(url).host} is larger than ${MAX_BYTES} bytes`);
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
      "The service that you sign in with refuses this gateway's request. The gateway's log says why.",
      error,
    );
  const isAnswer = error instanceof oidc.ClientError && error.code !== "OAUTH_TIMEOUT";
  return isAnswer
    ? new IssuerError(
        "refused",
        "The answer of the service doesn't belong to this sign-in. Start again.",
        error,
      )
    : new IssuerError("unavailable", UNREACHABLE, error);
}
