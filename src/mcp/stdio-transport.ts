/** Messages over the standard input and output of a server's process, one a line. */
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { LineLimit } from "./line-limit.js";
import type { ServerProcess } from "./server-process.js";

/** The SDK's own functions; it is loaded only when a server is configured. */
export interface MessageFormat {
  deserializeMessage(line: string): JSONRPCMessage;
  serializeMessage(message: JSONRPCMessage): string;
}

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  readonly #process: ServerProcess;
  readonly #format: MessageFormat;
  readonly #lines = new LineLimit();

  constructor(process: ServerProcess, format: MessageFormat) {
    this.#process = process;
    this.#format = format;
  }

  async start(): Promise<void> {
    const { child, started, ended } = this.#process;
    child.stdout.on("data", (chunk: Buffer) => {
      for (const line of this.#lines.push(chunk)) this.#take(line);
    });
    void ended.then(() => this.onclose?.());
    await started;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#process.child;
    if (!stdin.writable) throw new Error("the server has ended");
    if (stdin.write(this.#format.serializeMessage(message))) return;
    await new Promise<void>((resolve) => {
      stdin.once("drain", resolve);
      stdin.once("close", resolve);
    });
  }

  async close(): Promise<void> {
    await this.#process.end();
  }

  #take(line: string): void {
    if (line.trim() === "") return;
    try {
      this.onmessage?.(this.#format.deserializeMessage(line));
    } catch (error) {
      // Some servers print to their standard output.
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
