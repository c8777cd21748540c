/** Where logins to MCP servers are kept, as Hermes Agent does it: `mcp-tokens/<server>.json`, readable by its owner only. */
import { randomBytes } from "node:crypto";
import { chmod, mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { StoredOAuthClientInformation, StoredOAuthTokens } from "@modelcontextprotocol/client";
import { readRegular } from "../regular-file.js";

const FOLDER = "mcp-tokens";
const MAX_NAME_CHARS = 128;

export class TokenFiles {
  readonly #folder: string;
  readonly #name: string;

  constructor(home: string, server: string) {
    this.#folder = path.join(home, FOLDER);
    this.#name = server.replace(/[^\w-]/g, "_").slice(0, MAX_NAME_CHARS);
  }

  tokens(): Promise<StoredOAuthTokens | undefined> {
    return this.#read<StoredOAuthTokens>(".json", "access_token");
  }

  /** How this client is registered with the server. */
  client(): Promise<StoredOAuthClientInformation | undefined> {
    return this.#read<StoredOAuthClientInformation>(".client.json", "client_id");
  }

  saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    return this.#write(".json", tokens);
  }

  saveClient(client: StoredOAuthClientInformation): Promise<void> {
    return this.#write(".client.json", client);
  }

  async remove(): Promise<void> {
    for (const end of [".json", ".client.json"]) await rm(this.#path(end), { force: true });
  }

  #path(end: string): string {
    return path.join(this.#folder, this.#name + end);
  }

  /** Undefined as well for a file that has something else in it. */
  async #read<T extends object>(end: string, needed: keyof T & string): Promise<T | undefined> {
    try {
      const value = JSON.parse((await readRegular(this.#path(end))).toString("utf8")) as T | null;
      return typeof value?.[needed] === "string" ? value : undefined;
    } catch (error) {
      if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === "ENOENT")
        return undefined;
      throw error;
    }
  }

  /** Readers see the old file or the new one. */
  async #write(end: string, value: object): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await chmod(this.#folder, 0o700);
    const target = this.#path(end);
    const fresh = `${target}.${randomBytes(4).toString("hex")}`;
    await writeFile(fresh, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flag: "wx" });
    await rename(fresh, target);
  }
}
