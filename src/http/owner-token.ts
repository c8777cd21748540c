/** The owner's token if none is configured. Created once, in a file that only this user can read. */
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { HermesError } from "../errors.js";
import { readRegularSync } from "../regular-file.js";

export function ownerToken(file: string): string {
  return readToken(file) ?? makeToken(file);
}

function readToken(file: string): string | undefined {
  try {
    return readRegularSync(file).trim() || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw unusable(file, error as Error);
  }
}

function makeToken(file: string): string {
  const token = randomBytes(24).toString("base64url");
  try {
    fs.writeFileSync(file, `${token}\n`, { mode: 0o600 });
    return token;
  } catch (error) {
    throw unusable(file, error as Error);
  }
}

function unusable(file: string, cause: Error): HermesError {
  return new HermesError("unavailable", `${file} can't be used: ${cause.message}`, {
    hint: "Make it readable for this user, remove it, or set http.token.",
    cause,
  });
}
