import http from "node:http";

export interface SentEvent {
  event: string;
  id: string | undefined;
  data: Record<string, unknown>;
}

/** An event stream, read as a browser reads it. `next` waits for a state, never for time. */
export class EventReader {
  readonly events: SentEvent[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #request: http.ClientRequest;
  readonly status: number;
  isOver = false;
  #text = "";
  #taken = 0;

  static open(url: string, headers: Record<string, string> = {}): Promise<EventReader> {
    return new Promise((resolve, reject) => {
      const request = http.get(url, { headers, agent: false }, (response) => {
        resolve(new EventReader(request, response));
      });
      request.on("error", reject);
    });
  }

  private constructor(request: http.ClientRequest, response: http.IncomingMessage) {
    this.#request = request;
    this.status = response.statusCode ?? 0;
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => this.#take(chunk));
    response.on("error", () => {});
    response.on("close", () => {
      this.isOver = true;
      this.#wake();
    });
  }

  close(): void {
    this.#request.destroy();
  }

  /** The next event of this name that no test has read yet. */
  async next(event: string): Promise<SentEvent> {
    for (;;) {
      for (; this.#taken < this.events.length; ) {
        const candidate = this.events[this.#taken++]!;
        if (candidate.event === event) return candidate;
      }
      if (this.isOver) throw new Error(`The stream ended before a "${event}" came`);
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  async over(): Promise<void> {
    while (!this.isOver) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  #take(chunk: string): void {
    this.#text += chunk;
    const frames = this.#text.split("\n\n");
    this.#text = frames.pop()!;
    for (const frame of frames) {
      const fields = new Map(frame.split("\n").map((line) => line.split(/: (.*)/s, 2) as [string, string]));
      const event = fields.get("event");
      if (event) this.events.push({ event, id: fields.get("id"), data: JSON.parse(fields.get("data")!) });
    }
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
