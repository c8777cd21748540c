import fs from "node:fs";
import path from "node:path";
import type { Database as Connection } from "better-sqlite3";
import { Database } from "../../src/store/sqlite/driver.js";
import { openStore } from "../../src/store/sqlite/index.js";

const DAY_SECONDS = 86_400;

/** Creates a home with this many chats, each with a session of two messages, active within the last day. */
export async function makeHome(home: string, chats: number): Promise<void> {
  fs.mkdirSync(path.join(home, "sessions"), { recursive: true, mode: 0o700 });
  fs.chmodSync(home, 0o700);
  const file = path.join(home, "state.db");
  await (await openStore({ path: file, foreign: "adopt" })).close();
  const db = new Database(file);
  try {
    db.transaction(() => fill(db, chats))();
  } finally {
    db.close();
  }
}

function fill(db: Connection, chats: number): void {
  const now = Date.now() / 1000;
  const session = db.prepare(
    "INSERT INTO sessions (id, source, user_id, started_at, message_count, system_prompt) VALUES (?, 'web', ?, ?, 2, 'Be kind.')",
  );
  const message = db.prepare(
    "INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, ?, ?, ?)",
  );
  const route = db.prepare(
    `INSERT INTO gw_routes (session_key, session_id, origin, tuple, created_at, updated_at, last_user_activity)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  for (let n = 0; n < chats; n += 1) {
    const chatId = `bench-${n.toString(16).padStart(8, "0")}`;
    const id = `20260616_091523_${n.toString(16).padStart(8, "0")}`;
    const at = now - (n / chats) * (DAY_SECONDS / 2);
    const origin = { platform: "web", chatType: "dm", chatId, userId: chatId, userName: `Person ${n}` };
    session.run(id, chatId, at);
    message.run(id, "user", `What about number ${n}?`, at);
    message.run(id, "assistant", `Number ${n} is fine.`, at + 1);
    const tuple = JSON.stringify(["web", "dm", chatId]);
    route.run(`agent:main:web:dm:${chatId}`, id, JSON.stringify(origin), tuple, at, at, at);
  }
}
