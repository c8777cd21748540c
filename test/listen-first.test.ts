import { once } from "node:events";
import net from "node:net";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Adapter } from "../src/adapters/adapter.js";
import { startGateway } from "../src/main.js";
import { atEnd } from "./support/at-end.js";
import { tempDir } from "./support/temp.js";
import { until } from "./support/until.js";

/** A platform that doesn't respond until the test allows it. */
class SilentPlatform implements Adapter {
  readonly platform = "silent";
  readonly account = "silent";
  readonly limits = { length: 1000, unit: "utf16" as const };
  answer = (): void => undefined;
  #isConnected = false;
  readonly #answered = new Promise<void>((resolve) => {
    this.answer = resolve;
  });

  async connect(): Promise<void> {
    await this.#answered;
    this.#isConnected = true;
  }

  async disconnect(): Promise<void> {}

  health() {
    return { state: this.#isConnected ? ("ok" as const) : ("down" as const), lastProofAt: null };
  }

  render() {
    return [{}];
  }

  async sendPart() {
    return [];
  }
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

describe("a start with a platform that doesn't respond", () => {
  it("serves its pages immediately and reports what it waits for", async () => {
    const silent = new SilentPlatform();
    const port = await freePort();
    let isStarted = false;
    const starting = startGateway({
      env: { HERMES_HOME: path.join(tempDir(), "home") },
      flags: { "http.port": port, "log.level": "silent" },
      platforms: () => ({ adapters: [silent] }),
    }).then((running) => {
      isStarted = true;
      return running;
    });
    atEnd(async () => (await starting).stop());
    const ask = (where: string) => fetch(`http://127.0.0.1:${port}${where}`).catch(() => undefined);

    await until("it is alive", async () => (await ask("/healthz"))?.ok);
    await until("the page is served", async () => (await ask("/"))?.ok);
    const notReady = await until("it waits for the platform", async () => {
      const response = await ask("/readyz");
      const said = { status: response?.status, text: await response?.text() };
      return said.text?.includes("it is starting: silent not connected yet") && said;
    });
    expect({ isStarted, status: notReady.status }).toEqual({ isStarted: false, status: 503 });

    silent.answer();
    await starting;
    expect(await (await ask("/readyz"))?.json()).toEqual({ status: "ready" });
  });
});
