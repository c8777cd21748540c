import net from "node:net";

/** A connection that says what no client would: exactly these bytes. */
export class RawSocket {
  readonly #socket: net.Socket;
  readonly #closed: Promise<void>;
  received = "";

  private constructor(socket: net.Socket) {
    this.#socket = socket;
    socket.setEncoding("latin1");
    socket.on("data", (chunk: string) => {
      this.received += chunk;
    });
    socket.on("error", () => {});
    this.#closed = new Promise((resolve) => socket.once("close", () => resolve()));
  }

  static async open(url: string): Promise<RawSocket> {
    const socket = net.connect(Number(new URL(url).port), "127.0.0.1");
    await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
    return new RawSocket(socket);
  }

  write(text: string): void {
    this.#socket.write(text, "latin1");
  }

  /** All that the server said until it closed the connection. */
  async untilClosed(): Promise<string> {
    await this.#closed;
    return this.received;
  }

  end(): void {
    this.#socket.destroy();
  }
}

/** Says it and gives what came back; the request must ask for the connection to be closed. */
export async function exchange(url: string, request: string): Promise<{ status: number; text: string }> {
  const socket = await RawSocket.open(url);
  socket.write(request);
  const text = await socket.untilClosed();
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text };
}
