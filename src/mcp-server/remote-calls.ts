/** Passes calls on to the gateway that runs, over its HTTP port. */
import type { Client } from "@modelcontextprotocol/client";
import { version } from "../version.js";
import { failed } from "./local-calls.js";
import type { CallTool } from "./server.js";

export interface Gateway {
  url: string;
  token: string;
}

/** A little longer than the longest wait for an event. */
const CALL_MS = 330_000;
const CONNECT_MS = 10_000;

export class RemoteCalls {
  #known: { gateway: Gateway; client: Client } | undefined;

  async call(gateway: Gateway, ...[name, args, signal]: Parameters<CallTool>): ReturnType<CallTool> {
    try {
      const client = await this.#connect(gateway);
      const result = await client.callTool({ name, arguments: args }, { timeout: CALL_MS, signal });
      const [part] = result.content;
      return { text: part?.type === "text" ? part.text : "{}", isError: result.isError === true };
    } catch (error) {
      await this.close();
      return failed(
        `The gateway can't be reached: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }

  async close(): Promise<void> {
    const { client } = this.#known ?? {};
    this.#known = undefined;
    // The connection may be broken already.
    await client?.close().catch(() => undefined);
  }

  async #connect(gateway: Gateway): Promise<Client> {
    if (this.#known?.gateway.url === gateway.url && this.#known.gateway.token === gateway.token)
      return this.#known.client;
    await this.close();
    const sdk = await import("@modelcontextprotocol/client");
    const client = new sdk.Client({ name: "hermes-mcp-serve", version: version() });
    const headers = { Authorization: `Bearer ${gateway.token}` };
    const transport = new sdk.StreamableHTTPClientTransport(new URL("/mcp", gateway.url), {
      requestInit: { headers },
    });
    await client.connect(transport, { timeout: CONNECT_MS });
    this.#known = { gateway, client };
    return client;
  }
}
