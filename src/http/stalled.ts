/** Cuts answers that nobody takes: a client that stops reading would hold them, and its connection, for ever. */
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
  // Also called for connections that were only kept alive: whoever listens here has to end those, too.
  server.setTimeout(afterMs, (socket) => {
    if (!awaited.get(socket) || socket.writableLength > 0) socket.destroy();
  });
}
