/** The daemon's HTTP side: one port, guarded here once, so that routes only say what they serve. */
import type { Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer, type HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { checkBind, describeListenError, urlOf } from "./bind.js";
import { fault, faultHandler } from "./faults.js";
import { checkHost, checkOrigin } from "./guard.js";
import { Guesses } from "./guesses.js";
import { safeHeaders } from "./headers.js";
import { HEALTH_PATHS, healthRoutes } from "./health.js";
import type { HttpLog } from "./log.js";
import { LOGIN_PATHS, loginRoutes } from "./login.js";
import { requireToken } from "./token.js";

export interface HttpOptions {
  host: string;
  port: number;
  token: string | null;
  /** Names under which a proxy in front makes the server known. */
  otherNames?: readonly string[];
  log?: HttpLog;
  /** Where platforms call us: before every check of ours, since they come under any name and prove themselves. */
  callbacks?: readonly { path: string; handle(request: Request): Promise<Response> }[];
  routes: (app: Hono) => void;
}

export interface HttpServer {
  url: string;
  /** Lets running requests end, cuts event streams at once, and resolves when nothing is open any more. */
  close(): Promise<void>;
}

const BODY_BYTES = 1024 * 1024;
const CLOSE_GRACE_MS = 2000;
/** A request has to have arrived by then, head and body. Answers may take longer. */
const TIMEOUTS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
};

export async function startHttp(options: HttpOptions): Promise<HttpServer> {
  const { host, port, token } = options;
  checkBind(host, token);
  const streams = new Set<ServerResponse>();
  const server = createAdaptorServer({
    fetch: buildApp(options, streams).fetch,
    hostname: host,
    serverOptions: TIMEOUTS,
  }) as Server;
  await listen(server, host, port);
  const { port: boundPort } = server.address() as AddressInfo;
  return { url: urlOf(host, boundPort), close: () => closeServer(server, streams) };
}

function buildApp(options: HttpOptions, streams: Set<ServerResponse>): Hono {
  const app = new Hono();
  const { host, token, otherNames } = options;
  app.onError(faultHandler(options.log));
  app.notFound((c) => fault(c, 404, "not_found", "There is nothing here"));
  for (const { path, handle } of options.callbacks ?? []) {
    app.post(path, safeHeaders, limitBody(), (c) => handle(c.req.raw));
  }
  app.use(safeHeaders, checkHost(host, otherNames), checkOrigin);
  if (token) {
    const guesses = new Guesses();
    app.use(requireToken({ token, guesses, open: new Set([...HEALTH_PATHS, ...LOGIN_PATHS]) }));
    app.use(limitBody());
    loginRoutes(app, token, guesses);
  } else app.use(limitBody());
  app.use(async (c, next) => {
    await next();
    if (!c.res.headers.get("content-type")?.startsWith("text/event-stream")) return;
    const { outgoing } = c.env as HttpBindings;
    streams.add(outgoing);
    outgoing.once("close", () => streams.delete(outgoing));
  });
  healthRoutes(app);
  options.routes(app);
  return app;
}

function limitBody() {
  return bodyLimit({
    maxSize: BODY_BYTES,
    onError: (c) => fault(c, 413, "invalid", "That is more than 1 MB"),
  });
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: Error) => reject(describeListenError(error, host, port));
    server.once("error", onError);
    server.listen(port, host, () => {
      server.off("error", onError);
      resolve();
    });
  });
}

/** Event streams never end by themselves; their readers come back and are told what they missed. */
async function closeServer(server: Server, streams: ReadonlySet<ServerResponse>): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const stream of streams) stream.destroy();
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
  await closed;
  clearTimeout(cut);
}
