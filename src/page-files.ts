/** The built files of a page, served from memory, compressed if the browser supports it. */
import fs from "node:fs";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Context } from "hono";
import { fileResponse, filesUnder } from "./static-file.js";

type Handler = (c: Context) => Response;

const compress = promisify(gzip);

/**
 * All files are read at the first request: most gateways run for days before someone opens the page, and files
 * of two builds must not mix. Each is compressed when it is first requested.
 */
export class PageFiles {
  readonly #folder: URL;
  #contents: ReadonlyMap<string, Buffer> | undefined;
  readonly #handlers = new Map<string, Promise<Handler>>();

  constructor(folder: URL) {
    this.#folder = folder;
  }

  /** Undefined if there is no such file. Only files of the folder are served: path traversal is impossible. */
  async answer(c: Context, name: string): Promise<Response | undefined> {
    this.#contents ??= this.#read();
    const content = this.#contents.get(name);
    if (!content) return undefined;
    const handler = this.#handlers.get(name) ?? handlerOf(name, content);
    this.#handlers.set(name, handler);
    return (await handler)(c);
  }

  #read(): ReadonlyMap<string, Buffer> {
    const names = fs.existsSync(this.#folder) ? filesUnder(this.#folder) : [];
    return new Map(names.map((name) => [name, fs.readFileSync(new URL(name, this.#folder))]));
  }
}

async function handlerOf(name: string, content: Buffer): Promise<Handler> {
  return fileResponse(name, content, await compress(content));
}
