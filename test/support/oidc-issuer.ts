/** An OpenID Connect issuer on loopback that knows one person and asks no questions. */
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";
import { atEnd } from "./at-end.js";

export const CLIENT = { client_id: "hermes", client_secret: "a-secret-between-the-two" };
const SCOPES = "openid profile email groups";

export interface Person {
  sub: string;
  name?: string;
  email?: string;
  email_verified?: boolean;
  groups?: string[];
}

export class OidcIssuer {
  readonly url: string;
  /** Who signs in next. */
  person: Person = {
    sub: "4711",
    name: "Ann",
    email: "ann@example.org",
    email_verified: true,
    groups: ["staff"],
  };
  readonly #server: http.Server;
  #provider: Provider | undefined;

  /** `localhost`: another site than the gateway's. */
  static async start(host = "127.0.0.1"): Promise<OidcIssuer> {
    const server = http.createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const issuer = new OidcIssuer(server, `http://${host}:${port}`);
    atEnd(() => issuer.stop());
    return issuer;
  }

  constructor(server: http.Server, url: string) {
    this.#server = server;
    this.url = url;
    server.on("request", (request, response) => void this.#serve(request, response));
  }

  /** Clients have to be known; the address of the gateway is known once it has started. */
  register(gatewayUrl: string): void {
    this.#provider = new Provider(this.url, {
      clients: [{ ...CLIENT, redirect_uris: [`${gatewayUrl}/api/web/login/oidc/callback`] }],
      claims: { openid: ["sub"], profile: ["name"], email: ["email", "email_verified"], groups: ["groups"] },
      cookies: { keys: ["a key of the tests"] },
      features: { devInteractions: { enabled: false } },
      interactions: { url: () => "/interaction" },
      findAccount: (_: unknown, sub: string) => ({ accountId: sub, claims: () => ({ ...this.person, sub }) }),
      loadExistingGrant: async ({
        oidc,
      }: {
        oidc: { client: { clientId: string }; session: { accountId: string } };
      }) => {
        const grant = new this.#provider!.Grant({
          clientId: oidc.client.clientId,
          accountId: oidc.session.accountId,
        });
        grant.addOIDCScope(SCOPES);
        await grant.save();
        return grant;
      },
    });
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, "close");
  }

  async #serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    if (!request.url!.startsWith("/interaction")) return this.#provider!.callback()(request, response);
    await this.#provider!.interactionFinished(request, response, { login: { accountId: this.person.sub } });
  }
}
