/** Stores logins to MCP servers, in the same place as Hermes Agent: `mcp-tokens/<server>.json`, readable by its owner only. */
import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { chmod, mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { StoredOAuthClientInformation, StoredOAuthTokens } from "@modelcontextprotocol/client";
import { readRegular, readRegularSync } from "../regular-file.js";
import type { Secret } from "../secrets/secret-set.js";

const FOLDER = "mcp-tokens";
const MAX_NAME_CHARS = 128;

export type OnSecrets = (secrets: readonly Secret[]) => void;

export class TokenFiles {
  readonly #folder: string;
  readonly #name: string;
  readonly #onSecrets: OnSecrets;

  /** `onSecrets` is called with every token read or stored: this or another process may renew a login. */
  constructor(home: string, server: string, onSecrets: OnSecrets = () => undefined) {
    this.#onSecrets = onSecrets;
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
      if (typeof value?.[needed] !== "string") return undefined;
      this.#onSecrets(secretsIn(this.#name + end, value));
      return value;
    } catch (error) {
      if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === "ENOENT")
        return undefined;
      throw error;
    }
  }

  /** Readers see the old file or the new one. */
  async #write(end: string, value: object): Promise<void> {
    this.#onSecrets(secretsIn(this.#name + end, value));
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await chmod(this.#folder, 0o700);
    const target = this.#path(end);
    const fresh = `${target}.${randomBytes(4).toString("hex")}`;
    await writeFile(fresh, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flag: "wx" });
    await rename(fresh, target);
  }
}

/** The other fields (ids, scopes, times) aren't secret. */
const SECRET_FIELDS = [
  "access_token",
  "refresh_token",
  "id_token",
  "client_secret",
  "registration_access_token",
];

function secretsIn(file: string, stored: object): Secret[] {
  return SECRET_FIELDS.flatMap((field) => {
    const value = (stored as Record<string, unknown>)[field];
    return typeof value === "string" ? [{ name: `${FOLDER}/${file} ${field}`, value }] : [];
  });
}

/** The tokens of all logins of a home. Skips unreadable files: the server link that needs one reports the error. */
export function storedLogins(home: string): Secret[] {
  return filesIn(path.join(home, FOLDER)).flatMap((file) => {
    try {
      const stored = JSON.parse(readRegularSync(path.join(home, FOLDER, file))) as unknown;
      return typeof stored === "object" && stored !== null ? secretsIn(file, stored) : [];
    } catch {
      return [];
    }
  });
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".json"));
  } catch {
    // No login was ever made, or none can be read: then no tool of the agent can read one either.
    return [];
  }
}
