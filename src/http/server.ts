/** The daemon's HTTP server. All checks of requests are here, so routes only define what they serve. */
import type { Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer, type HttpBindings } from "@hono/node-server";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { LoginThrottle } from "../login-throttle.js";
import { STARTING } from "../policies/readiness.js";
import { checkBind, describeListenError, urlOf } from "./bind.js";
import { fault, faultHandler } from "./faults.js";
import { checkHost, checkOrigin } from "./guard.js";
import { safeHeaders } from "./headers.js";
import { HEALTH_PATHS, type HealthOptions, healthRoutes } from "./health.js";
import { limitBody, limitRate } from "./limits.js";
import type { HttpLog } from "./log.js";
import { LOGIN_PATHS, loginRoutes, type OtherLogins } from "./login.js";
import { requestId } from "./request-id.js";
import { closeStalled } from "./stalled.js";
import { requireToken } from "./token.js";

export interface ListenOptions {
  host: string;
  port: number;
  token: string | null;
  /** Headers and body must arrive within this time. Responses may take longer. */
  requestTimeoutMs?: number;
  /** A client that reads nothing for this long is disconnected. */
  stalledMs?: number;
}

export interface HttpOptions extends ListenOptions {
  /** Guards the owner's routes if `token` is null. */
  ownerToken?: string;
  /** Other host names of this server, for example behind a reverse proxy. */
  otherNames?: readonly string[];
  log?: HttpLog;
  /** Hidden in error responses. */
  home?: string;
  /** Requests per minute from one address; 0: no limit. */
  ratePerMinute?: number;
  /** Webhooks of platforms. They skip our checks: platforms use any host name and sign their calls. */
  callbacks?: readonly { path: string; limited?: boolean; handle(request: Request): Promise<Response> }[];
  areas?: readonly Area[];
  /** Whether someone without the token may send this request. */
  isGuest?: (c: Context) => Promise<boolean>;
  /** Whether the owner is signed in to the web chat on this device. */
  isOwnerDevice?: (device: string) => Promise<boolean>;
  /** Other logins that the login page offers. */
  otherLogins?: () => Promise<OtherLogins>;
  health?: HealthOptions;
  /** `ownerOnly` guards routes that only the owner may use. */
  routes: (app: Hono, ownerOnly: MiddlewareHandler) => void;
}

/** Paths with their own rules. */
export interface Area {
  /** Prefix of its paths: `/v1/`. */
  beginning: string;
  /** Its routes check their own secrets instead of the token. */
  ownSecret: boolean;
  bodyMegabytes: number;
}

export interface HttpServer {
  url: string;
  /** Closes event streams at once, waits for running requests, and resolves when no connection is open. */
  close(): Promise<void>;
}

const CLOSE_GRACE_MS = 2000;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const STALLED_MS = 60_000;
const RATE_PER_MINUTE = 0;

/** A server that listens before its routes are ready. */
export interface ListeningServer extends HttpServer {
  serve(options: HttpOptions): void;
}

/** Before `serve`, `/healthz` responds, `/readyz` reports a starting gateway, and the rest gets 503. */
export async function listenHttp(options: ListenOptions): Promise<ListeningServer> {
  const { host, port, token } = options;
  checkBind(host, token);
  const streams = new Set<ServerResponse>();
  let app = startingApp();
  const server = createAdaptorServer({
    fetch: (request, bindings) => app.fetch(request, bindings),
    hostname: host,
    serverOptions: timeouts(options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS),
  }) as Server;
  closeStalled(server, options.stalledMs ?? STALLED_MS);
  await listen(server, host, port);
  const { port: boundPort } = server.address() as AddressInfo;
  return {
    url: urlOf(host, boundPort),
    serve: (httpOptions) => {
      app = buildApp(httpOptions, streams);
    },
    close: () => closeServer(server, streams),
  };
}

/** Has no Host check: platforms use any host name, and try again after a 503. */
function startingApp(): Hono {
  const app = new Hono();
  app.use(requestId, safeHeaders);
  healthRoutes(app, { problems: async () => [STARTING] });
  app.all("*", (c) => {
    c.header("Retry-After", "1");
    return fault(c, 503, "unavailable", "The gateway is starting");
  });
  return app;
}

function timeouts(requestMs: number) {
  return {
    headersTimeout: Math.min(HEADERS_TIMEOUT_MS, requestMs),
    requestTimeout: requestMs,
    keepAliveTimeout: 5_000,
    connectionsCheckingInterval: Math.min(1_000, requestMs),
  };
}

function buildApp(options: HttpOptions, streams: Set<ServerResponse>): Hono {
  const app = new Hono();
  const { host, otherNames } = options;
  app.onError(faultHandler(options.log, options.home));
  app.notFound((c) => fault(c, 404, "not_found", "Not found"));
  app.use(requestId);
  const limited = limitRate(options.ratePerMinute ?? RATE_PER_MINUTE);
  for (const { path, handle, ...callback } of options.callbacks ?? []) {
    if (callback.limited) app.post(path, limited);
    app.post(path, safeHeaders, limitBody(), (c) => handle(c.req.raw));
  }
  app.use(safeHeaders, checkHost(host, otherNames), checkOrigin, limited);
  const ownerOnly = guardWithToken(app, options);
  app.use(async (c, next) => {
    await next();
    if (!c.res.headers.get("content-type")?.startsWith("text/event-stream")) return;
    const { outgoing } = c.env as HttpBindings;
    streams.add(outgoing);
    outgoing.once("close", () => streams.delete(outgoing));
  });
  healthRoutes(app, options.health ?? {});
  options.routes(app, ownerOnly);
  return app;
}

/** `token` guards everything. Without one, the owner's token guards the owner's routes. */
function guardWithToken(app: Hono, options: HttpOptions): MiddlewareHandler {
  const { token, ownerToken, areas = [], isGuest, isOwnerDevice } = options;
  const throttle = new LoginThrottle();
  const check = { throttle, isOpen: openPaths(areas), ...(isOwnerDevice ? { isOwnerDevice } : {}) };
  if (token) app.use(requireToken({ ...check, token, ...(isGuest ? { isGuest } : {}) }));
  app.use(limitBodies(areas));
  const loginToken = token ?? ownerToken;
  if (loginToken) loginRoutes(app, loginToken, throttle, options.otherLogins);
  if (token) return (_, next) => next();
  if (ownerToken) return requireToken({ ...check, token: ownerToken });
  return async (c) => fault(c, 403, "refused", "Only the owner may use this, and no token is configured");
}

function openPaths(areas: readonly Area[]): (path: string) => boolean {
  const open = new Set<string>([...HEALTH_PATHS, ...LOGIN_PATHS]);
  return (path) => open.has(path) || (areaOf(path, areas)?.ownSecret ?? false);
}

function areaOf(path: string, areas: readonly Area[]): Area | undefined {
  return areas.find(({ beginning }) => path.startsWith(beginning));
}

function limitBodies(areas: readonly Area[]): MiddlewareHandler {
  const usual = limitBody();
  const own = new Map(areas.map((area) => [area, limitBody(area.bodyMegabytes)]));
  return (c, next) => (own.get(areaOf(c.req.path, areas)!) ?? usual)(c, next);
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

/** Event streams would never end, so they are closed. Clients reconnect and get what they missed. */
async function closeServer(server: Server, streams: ReadonlySet<ServerResponse>): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const stream of streams) stream.destroy();
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
  await closed;
  clearTimeout(cut);
}
