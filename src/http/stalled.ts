/** Closes connections whose client stopped reading: they would stay open for ever. */
import type { Server } from "node:http";
import type { Socket } from "node:net";

/** An answer that is still being thought about may take any time; one that is there has to be taken. */
export function cutStalled(server: Server, afterMs: number): void {
  const awaited = new WeakMap<Socket, number>();
  server.on("request", ({ socket }, response) => {
    const count = (by: number) => awaited.set(socket, (awaited.get(socket) ?? 0) + by);
    count(1);
    response.once("close", () => count(-1));
  });
  // Also fires for idle keep-alive connections; a listener must close those too.
  server.setTimeout(afterMs, (socket) => {
    if (!awaited.get(socket) || socket.writableLength > 0) socket.destroy();
  });
}
