import http from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface ReceivedSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  links?: { traceId: string; spanId: string }[];
  status?: { code?: number; message?: string };
}

interface Payload {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue?: string } }[] };
    scopeSpans: { spans: ReceivedSpan[] }[];
  }[];
}

/** A collector that keeps what it is sent: OTLP over HTTP in JSON. */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  readonly services = new Set<string>();
  /** What it answers with. */
  status = 200;
  requests = 0;
  #url = "";

  async start(): Promise<this> {
    const server = http.createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8");
      request.on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () => {
        this.requests += 1;
        if (this.status === 200 && request.url === "/v1/traces") this.#take(JSON.parse(body) as Payload);
        response.writeHead(this.status, { "content-type": "application/json" }).end("{}");
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    this.#url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return this;
  }

  get url(): string {
    return this.#url;
  }

  #take({ resourceSpans }: Payload): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      const name = resource.attributes.find(({ key }) => key === "service.name")?.value.stringValue;
      if (name) this.services.add(name);
      for (const { spans } of scopeSpans) this.spans.push(...spans);
    }
  }
}
