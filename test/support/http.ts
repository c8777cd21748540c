import { type HttpOptions, type HttpServer, listenHttp } from "../../src/http/server.js";

/** Listens and serves at once; the gateway listens first and serves when it is ready. */
export async function startHttp(options: HttpOptions): Promise<HttpServer> {
  const server = await listenHttp(options);
  server.serve(options);
  return server;
}
