/**
 * Splits what a server sends into lines and drops those that are too long: of them, only both ends are kept. A message is one
 * line on stdio, in an event stream and as a JSON body, so no message can take more memory than this.
 */

export const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;
const NEWLINE = 10;
/** Enough for the id of a message, at its beginning or at its end. */
const END_BYTES = 512;

export class LineLimit {
  readonly #maxBytes: number;
  #pending: Buffer[] = [];
  #bytes = 0;
  /** State of a line that is too long. */
  #ends: { head: Buffer; tail: Buffer } | undefined;

  constructor(maxBytes = MAX_MESSAGE_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that end in this chunk, without their newlines. */
  push(chunk: Buffer): string[] {
    const lines: string[] = [];
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      this.#add(chunk.subarray(from, at));
      lines.push(this.#take());
      from = at + 1;
    }
    if (from < chunk.length) this.#add(chunk.subarray(from));
    return lines;
  }

  /** The rest at the end of the input. */
  rest(): string {
    return this.#take();
  }

  #add(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#ends) {
      this.#ends.tail = lastBytes([this.#ends.tail, part]);
      return;
    }
    this.#pending.push(part);
    if (this.#bytes <= this.#maxBytes) return;
    const head = Buffer.concat(this.#pending.slice(0, 8)).subarray(0, END_BYTES);
    this.#ends = { head: Buffer.from(head), tail: lastBytes(this.#pending) };
    this.#pending = [];
  }

  #take(): string {
    const line = this.#ends
      ? replacement(this.#ends.head.toString("latin1"), this.#ends.tail.toString("latin1"), this.#maxBytes)
      : Buffer.concat(this.#pending).toString("utf8");
    this.#pending = [];
    this.#bytes = 0;
    this.#ends = undefined;
    return line;
  }
}

/** A copy: the parts share memory with chunks. */
function lastBytes(parts: readonly Buffer[]): Buffer {
  return Buffer.from(Buffer.concat(parts.slice(-8)).subarray(-END_BYTES));
}

/**
 * An error response for the request, so that it fails immediately and alone. The id identifies it; servers
 * write it first or last. Empty if no id was found; then the request times out.
 */
function replacement(head: string, tail: string, maxBytes: number): string {
  const prefix = head.startsWith("data:") ? "data: " : "";
  const start = /^(?:data:)? ?\{ ?"jsonrpc" ?: ?"2\.0" ?, ?"id" ?: ?(\d{1,15}) ?,/.exec(head)?.[1];
  const id = start ?? /"id" ?: ?(\d{1,15}) ?\}\s{0,4}$/.exec(tail)?.[1];
  if (id === undefined) return "";
  const message = `the answer is larger than ${Math.round(maxBytes / 1024 / 1024)} MB`;
  return `${prefix}${JSON.stringify({ jsonrpc: "2.0", id: Number(id), error: { code: -32603, message } })}`;
}
