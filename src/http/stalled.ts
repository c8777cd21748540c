/** Closes connections whose client stopped reading. They would stay open forever. */
import type { Server } from "node:http";
import type { Socket } from "node:net";

/** A response may take any time to start, but the client must read what was written. */
export function closeStalled(server: Server, afterMs: number): void {
  const openResponses = new WeakMap<Socket, number>();
  server.on("request", ({ socket }, response) => {
    const count = (by: number) => openResponses.set(socket, (openResponses.get(socket) ?? 0) + by);
    count(1);
    response.once("close", () => count(-1));
  });
  // Also fires for idle keep-alive connections; a listener must close those too.
  server.setTimeout(afterMs, (socket) => {
    if (!openResponses.get(socket) || socket.writableLength > 0) socket.destroy();
  });
}
