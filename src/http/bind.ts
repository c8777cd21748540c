/** Checks the listen address, builds the server's URL and explains listen errors. */
import net from "node:net";
import { HermesError } from "../errors.js";

/** `[::1]` → `::1`, `LOCALHOST.` → `localhost`. */
export function plainHost(host: string): string {
  return host
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "")
    .toLowerCase();
}

export function isLoopback(host: string): boolean {
  const plain = plainHost(host).replace(/^::ffff:/, "");
  return plain === "localhost" || plain === "::1" || (net.isIPv4(plain) && plain.startsWith("127."));
}

/** Whether a server on this host listens on all interfaces. */
export function isWildcard(host: string): boolean {
  return ["0.0.0.0", "::", ""].includes(plainHost(host));
}

/** Requires a token unless the address is loopback: otherwise anyone on the network could get in. */
export function checkBind(host: string, token: string | null): void {
  if (token || isLoopback(host)) return;
  throw new HermesError("refused", `Listening on ${host} without a token would let anyone in`, {
    hint: "Set http.token (better: HERMES_HTTP_TOKEN in .env), or listen on 127.0.0.1 (http.host / HERMES_HTTP_HOST).",
  });
}

/** A URL that a browser on this machine can open. */
export function urlOf(host: string, port: number): string {
  const plain = isWildcard(host) ? "127.0.0.1" : plainHost(host);
  return `http://${net.isIPv6(plain) ? `[${plain}]` : plain}:${port}`;
}

export function describeListenError(error: NodeJS.ErrnoException, host: string, port: number): HermesError {
  const options = (hint: string) => ({ hint, cause: error });
  switch (error.code) {
    case "EADDRINUSE":
      return new HermesError(
        "conflict",
        `Port ${port} on ${host} is in use by another program`,
        options(
          "Stop that program, or choose another port: http.port / HERMES_HTTP_PORT (0 = any free one).",
        ),
      );
    case "EACCES":
      return new HermesError(
        "refused",
        `This user may not listen on port ${port}`,
        options("Choose a port above 1023: http.port / HERMES_HTTP_PORT."),
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new HermesError(
        "invalid",
        `${host} is not an address of this machine`,
        options("Set http.host / HERMES_HTTP_HOST to 127.0.0.1, or to an address that this machine has."),
      );
    default:
      return new HermesError("unavailable", `Can't listen on ${host}:${port}: ${error.message}`, {
        cause: error,
      });
  }
}
