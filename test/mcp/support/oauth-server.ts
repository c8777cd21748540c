/** An MCP server on loopback that wants OAuth, and its authorization server. Everyone who visits its page is let in. */
import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

type Reply = [status: number, body: object, headers?: Record<string, string>];

export class OAuthServer {
  /** Of calls: the tokens that came with them. */
  readonly seen: string[] = [];
  registrations = 0;
  /** All access and refresh tokens, in the order of their issue. */
  readonly issued: string[] = [];
  /** Instead of a code. */
  refusal: string | undefined;
  readonly #access = new Set<string>();
  readonly #refresh = new Set<string>();
  readonly #challenges = new Map<string, string>();
  readonly #server = http.createServer((request, response) => void this.#handle(request, response));

  static async start(): Promise<OAuthServer> {
    const server = new OAuthServer();
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    onTestFinished(() => {
      server.#server.close();
      server.#server.closeAllConnections();
    });
    return server;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `${this.origin}/mcp`;
  }

  /** Access tokens end; `all`: refresh tokens, too. */
  expire(all = false): void {
    this.#access.clear();
    if (all) this.#refresh.clear();
  }

  async #handle(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const address = new URL(request.url ?? "/", this.origin);
    const [status, reply, headers] = this.#reply(address, request, body);
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(status === 202 || status === 302 ? "" : JSON.stringify(reply));
  }

  #reply({ pathname, searchParams }: URL, request: http.IncomingMessage, body: string): Reply {
    const { origin } = this;
    if (pathname.startsWith("/.well-known/oauth-protected-resource"))
      return [200, { resource: this.url, authorization_servers: [origin] }];
    if (pathname === "/.well-known/oauth-authorization-server") return [200, metadataOf(origin)];
    if (pathname === "/register") {
      this.registrations += 1;
      return [201, { ...(JSON.parse(body) as object), client_id: `client-${this.registrations}` }];
    }
    if (pathname === "/authorize") return this.#authorize(searchParams);
    if (pathname === "/token") return this.#token(new URLSearchParams(body));
    if (pathname !== "/mcp" || request.method !== "POST") return [405, {}];
    return this.#call(request.headers.authorization?.slice("Bearer ".length) ?? "", body);
  }

  #authorize(asked: URLSearchParams): Reply {
    const back = new URL(asked.get("redirect_uri")!);
    back.searchParams.set("state", asked.get("state")!);
    const code = randomUUID();
    this.#challenges.set(code, asked.get("code_challenge")!);
    if (this.refusal === undefined) back.searchParams.set("code", code);
    else back.searchParams.set("error", this.refusal);
    return [302, {}, { location: String(back) }];
  }

  #token(asked: URLSearchParams): Reply {
    const challenge = createHash("sha256")
      .update(asked.get("code_verifier") ?? "")
      .digest("base64url");
    const isKnown =
      asked.get("grant_type") === "refresh_token"
        ? this.#refresh.delete(asked.get("refresh_token") ?? "")
        : this.#challenges.get(asked.get("code") ?? "") === challenge;
    if (!isKnown) return [400, { error: "invalid_grant" }];
    const [access_token, refresh_token] = [randomUUID(), randomUUID()];
    this.issued.push(access_token, refresh_token);
    this.#access.add(access_token);
    this.#refresh.add(refresh_token);
    return [200, { access_token, refresh_token, token_type: "Bearer", expires_in: 3600 }];
  }

  #call(token: string, body: string): Reply {
    const metadata = `${this.origin}/.well-known/oauth-protected-resource/mcp`;
    const challenge = { "www-authenticate": `Bearer resource_metadata="${metadata}"` };
    if (!this.#access.has(token)) return [401, {}, challenge];
    const { id, method } = JSON.parse(body) as { id?: number; method: string };
    if (id === undefined) return [202, {}];
    this.seen.push(token);
    return [200, { jsonrpc: "2.0", id, result: resultOf(method, this.issued) }];
  }
}

function metadataOf(origin: string): object {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    response_types_supported: ["code"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
  };
}

function resultOf(method: string, issued: readonly string[]): object {
  if (method === "initialize")
    return {
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "locked", version: "1" },
    };
  if (method === "tools/list")
    return {
      tools: [{ name: "look", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }],
    };
  // A server that gives away what it knows.
  if (method === "tools/call") return { content: [{ type: "text", text: `seen ${issued.join(" ")}.` }] };
  return {};
}
