/** The built files of a page, served from memory, compressed if the browser supports it. */
import fs from "node:fs";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Context } from "hono";
import { fileAnswer, filesUnder } from "./static-file.js";

type Answer = (c: Context) => Response;

const compress = promisify(gzip);

/**
 * All files are read at the first request: most gateways run for days before someone opens the page, and files of two
 * builds must not mix. Each is compressed when it is first requested.
 */
export class PageFiles {
  readonly #folder: URL;
  #contents: ReadonlyMap<string, Buffer> | undefined;
  readonly #answers = new Map<string, Promise<Answer>>();

  constructor(folder: URL) {
    this.#folder = folder;
  }

  /** Undefined if there is no such file. Only names found in the folder are served, so path traversal is impossible. */
  async answer(c: Context, name: string): Promise<Response | undefined> {
    this.#contents ??= this.#read();
    const content = this.#contents.get(name);
    if (!content) return undefined;
    const answer = this.#answers.get(name) ?? answerOf(name, content);
    this.#answers.set(name, answer);
    return (await answer)(c);
  }

  #read(): ReadonlyMap<string, Buffer> {
    const names = fs.existsSync(this.#folder) ? filesUnder(this.#folder) : [];
    return new Map(names.map((name) => [name, fs.readFileSync(new URL(name, this.#folder))]));
  }
}

async function answerOf(name: string, content: Buffer): Promise<Answer> {
  return fileAnswer(name, content, await compress(content));
}
