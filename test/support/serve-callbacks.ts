/** Like the gateway's HTTP server: a Request for a path in, a Response out. */
import http from "node:http";
import type { AddressInfo } from "node:net";

type Callbacks = readonly { path: string; handle(request: Request): Promise<Response> }[];

export interface CallbackServer {
  url: string;
  close(): void;
}

/** The callbacks may change between calls. */
export async function serveCallbacks(callbacks: () => Callbacks): Promise<CallbackServer> {
  const server = http.createServer((request, response) => void answer(callbacks(), request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function answer(
  callbacks: Callbacks,
  incoming: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const url = new URL(incoming.url ?? "/", "http://gateway");
  const callback = callbacks.find(({ path }) => path === url.pathname);
  if (!callback) return void response.writeHead(404).end();
  const reply = await callback.handle(
    new Request(url, {
      method: incoming.method!,
      headers: incoming.headers as Record<string, string>,
      ...(incoming.method === "POST" && { body: Buffer.concat(chunks) }),
    }),
  );
  response.writeHead(reply.status, Object.fromEntries(reply.headers)).end(await reply.text());
}
