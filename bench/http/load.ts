import { Pool } from "undici";
import { percentile } from "../measure.js";

/** Concurrent clients: each sends a request, waits for the whole answer and repeats. */
export interface Load {
  perSecond: number;
  p50: number;
  p99: number;
}

export interface Target {
  path: string;
  headers: Record<string, string>;
  body: string;
}

export class Clients {
  readonly #pool: Pool;
  readonly #count: number;

  constructor(url: string, count: number) {
    this.#pool = new Pool(url, { connections: count, pipelining: 1 });
    this.#count = count;
  }

  async ask({ path, headers, body }: Target): Promise<string> {
    const response = await this.#pool.request({ method: "POST", path, headers, body });
    const text = await response.body.text();
    if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode} ${text}`);
    return text;
  }

  async run(target: Target, requests: number): Promise<Load> {
    const times: number[] = [];
    let left = requests;
    const started = performance.now();
    const client = async () => {
      while (left-- > 0) {
        const asked = performance.now();
        await this.ask(target);
        times.push(performance.now() - asked);
      }
    };
    await Promise.all(Array.from({ length: this.#count }, client));
    const seconds = (performance.now() - started) / 1000;
    return { perSecond: requests / seconds, p50: percentile(times, 50), p99: percentile(times, 99) };
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
