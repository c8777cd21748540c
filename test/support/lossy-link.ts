import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { atEnd } from "./at-end.js";

/** A network between a browser and a server that can break: connections are cut, or can't be made. */
export class LossyLink {
  readonly #server: net.Server;
  readonly #sockets = new Set<net.Socket>();
  #isDown = false;

  private constructor(port: number) {
    this.#server = net.createServer((near) => {
      this.#sockets.add(near);
      near.on("error", () => undefined);
      near.on("close", () => this.#sockets.delete(near));
      if (this.#isDown) return void near.destroy();
      const far = net.connect(port, "127.0.0.1");
      far.on("error", () => near.destroy());
      far.on("close", () => near.destroy());
      near.on("close", () => far.destroy());
      near.pipe(far).pipe(near);
    });
  }

  static async to(url: string): Promise<LossyLink> {
    const link = new LossyLink(Number(new URL(url).port));
    link.#server.listen(0, "127.0.0.1");
    await once(link.#server, "listening");
    atEnd(() => link.#close());
    return link;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Every connection that is open now. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  goDown(): void {
    this.#isDown = true;
    this.cut();
  }

  comeBack(): void {
    this.#isDown = false;
  }

  async #close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, "close");
  }
}
