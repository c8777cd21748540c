/** Homes as Hermes Agent left them. */
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { temporaryFolder } from "../support/run.js";

export interface Report {
  verdict: string;
  findings: { check: string; state: string; message: string; fix?: string }[];
  changes: { what: string; message: string }[];
  adopted?: { kept: string[]; chats: number; people: number; tightened: number; problems: string[] };
}

/** An entry of `sessions.json`. */
export function chat(
  key: string,
  sessionId: string,
  origin: Record<string, string>,
): Record<string, unknown> {
  const at = "2026-06-16T09:15:23.123456";
  return { [key]: { session_key: key, session_id: sessionId, created_at: at, updated_at: at, origin } };
}

export const ANN = chat("agent:main:telegram:dm:42", "s3", {
  ...{ platform: "telegram", chat_type: "dm", chat_id: "42", user_id: "42", user_name: "Ann" },
});

/** `make` makes its `state.db`; the session s3 in it is Ann's. */
export function agentHome(make?: (file: string) => void): string {
  const home = path.join(temporaryFolder(), "home");
  fs.mkdirSync(path.join(home, "sessions"), { recursive: true });
  make?.(path.join(home, "state.db"));
  put(home, "sessions/sessions.json", JSON.stringify(ANN, null, 2));
  put(home, "platforms/pairing/telegram-approved.json", '{"42": {"user_name": "Ann", "approved_at": 1.5}}');
  put(home, "config.yaml", "_config_version: 3\ngroup_sessions_per_user: true\ntts: {provider: edge}\n");
  put(home, ".env", "FAL_KEY=9\n");
  return home;
}

export function put(home: string, name: string, text: string, mode = 0o644): void {
  const file = path.join(home, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
  fs.chmodSync(file, mode);
}

/** Every path with its mode and bytes. */
export function photograph(home: string): Record<string, string> {
  const names = (fs.readdirSync(home, { recursive: true }) as string[]).toSorted();
  return Object.fromEntries(
    [".", ...names].map((name) => {
      const file = path.join(home, name);
      const entry = fs.statSync(file);
      const bytes = entry.isFile() ? createHash("sha256").update(fs.readFileSync(file)).digest("hex") : "";
      return [name, `${(entry.mode & 0o777).toString(8)} ${bytes}`];
    }),
  );
}
