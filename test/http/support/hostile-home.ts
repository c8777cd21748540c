import fs from "node:fs";
import path from "node:path";
import Database from "better-sqlite3";

/**
 * A home in which everything that others can choose is hostile: script, markup, and words that are longer than a screen. What
 * gets through sets `window.hacked` or leaves an element with `data-hacked`.
 */

const SCRIPT = "window.hacked=1";

export const CORPUS: readonly string[] = [
  `<img data-hacked src=x onerror="${SCRIPT}">`,
  `<script data-hacked>${SCRIPT}</script>`,
  `"><svg data-hacked onload=${SCRIPT}>`,
  `' autofocus onfocus=${SCRIPT} data-hacked='`,
  `javascript:${SCRIPT}`,
  `[press](javascript:${SCRIPT}) ![x](x" onerror="${SCRIPT})`,
  `<a data-hacked href="javascript:${SCRIPT}">x</a>`,
  `<iframe data-hacked srcdoc="<script>parent.hacked=1</script>"></iframe>`,
  `<details data-hacked open ontoggle=${SCRIPT}>x</details>`,
  `</script></style></textarea><script data-hacked>${SCRIPT}</script>`,
  `<math><mtext></p><img data-hacked src=x onerror=${SCRIPT}></math>`,
  `<style data-hacked>* { display: none }</style>`,
  `&lt;img data-hacked src=x onerror=${SCRIPT}&gt; \${${SCRIPT}} {{${SCRIPT}}}`,
  `<form data-hacked action="javascript:${SCRIPT}"><button autofocus>x</button></form>`,
];

export const LONG = "Wörter".repeat(60);
const ID = `id${"0123456789".repeat(20)}`;

let taken = 0;
/** One after another, each with a word that is too long for any screen. */
export const hostile = (name = "") => `${name}${CORPUS[taken++ % CORPUS.length]} ${LONG}`;

/** Of a person, a chat or a file: shorter, without spaces to break it at. */
const hostileName = () => `${CORPUS[taken++ % CORPUS.length]}${"n".repeat(150)}`;

/** Columns with words of people, models, tools and platforms. */
const TEXTS: Record<string, Record<string, () => string>> = {
  sessions: { title: () => hostile(`${taken} `), model: hostileName, user_id: () => `${ID}${taken++}` },
  messages: { content: hostile, reasoning: hostile },
  gw_inbox: { error: hostile, reason: hostile },
  gw_outbox: { text: hostile, error: hostile },
  gw_pairing: { user_name: hostileName, user_id: () => `${ID}${taken++}` },
  gw_attempts: { model: hostileName, error: hostile },
  gw_tool_calls: {
    ...{ tool: hostileName, arguments: () => JSON.stringify({ x: hostile() }), result: hostile },
    ...{ user_name: hostileName, user_id: () => ID, decided_by: () => `telegram:${ID}` },
  },
};

const now = () => Date.now() / 1000;

export function makeHostile(home: string): void {
  const db = new Database(path.join(home, "state.db"));
  try {
    for (const [table, columns] of Object.entries(TEXTS))
      for (const [column, text] of Object.entries(columns)) poison(db, table, column, text);
    poisonOrigins(db);
    addRows(db);
    addAttempts(db);
  } finally {
    db.close();
  }
  addFiles(home);
}

function poison(db: Database.Database, table: string, column: string, text: () => string): void {
  const rows = db.prepare(`SELECT rowid FROM ${table} WHERE ${column} IS NOT NULL`).pluck().all();
  const update = db.prepare(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`);
  for (const row of rows) update.run(text(), row);
}

function poisonOrigins(db: Database.Database): void {
  const update = db.prepare(
    `UPDATE gw_inbox SET payload = json_set(payload, '$.text', ?, '$.origin.userName', ?, '$.origin.chatName', ?,
       '$.origin.userId', ?, '$.origin.chatType', CASE id % 2 WHEN 0 THEN 'dm' ELSE 'group' END) WHERE id = ?`,
  );
  for (const id of db.prepare("SELECT id FROM gw_inbox").pluck().all())
    update.run(hostile(), hostileName(), hostileName(), ID, id);
  const routes = db.prepare(
    "UPDATE gw_routes SET origin = json_set(origin, '$.userName', ?, '$.chatName', ?) WHERE session_key = ?",
  );
  for (const key of db.prepare("SELECT session_key FROM gw_routes").pluck().all())
    routes.run(hostileName(), hostileName(), key);
}

/** Calls of the newest message's turn, and further attempts at it. */
function addAttempts(db: Database.Database): void {
  const last = db.prepare("SELECT * FROM gw_attempts ORDER BY inbox_id DESC LIMIT 1").get() as {
    turn_id: string;
    inbox_id: number;
    started_at: number;
  };
  db.prepare("UPDATE gw_tool_calls SET turn_id = ?, created_at = ?, started_at = ?, ended_at = ?").run(
    ...[last.turn_id, last.started_at, last.started_at, last.started_at + 0.5],
  );
  db.prepare(
    `INSERT INTO gw_attempts (turn_id, inbox_id, platform, model, received_at, started_at, ended_at, outcome, error)
     VALUES ('cut', ?, ?, ?, 1, 1, 2, ?, ?)`,
  ).run(last.inbox_id, hostileName(), hostileName(), hostileName(), hostile());
}

/** What the demo hasn't got. */
function addRows(db: Database.Database): void {
  const add = (table: string, row: Record<string, unknown>) =>
    db
      .prepare(
        `INSERT INTO ${table} (${Object.keys(row).join(", ")}) VALUES (${Object.keys(row).map(() => "?")})`,
      )
      .run(...Object.values(row));
  const target = JSON.stringify({
    ...{ platform: "web", account: "", chatType: "dm", chatId: "nobody", threadId: null },
    ...{ userId: null, replyTo: null },
  });
  add("sessions", { id: `${ID}${CORPUS[0]}`, source: hostileName(), started_at: now() - 60 });
  add("messages", {
    ...{ session_id: `${ID}${CORPUS[0]}`, role: "assistant", timestamp: now() - 59, content: hostile() },
    tool_calls: JSON.stringify([
      { id: "c", type: "function", function: { name: hostileName(), arguments: hostile() } },
    ]),
  });
  add("messages", {
    ...{ session_id: `${ID}${CORPUS[0]}`, role: "tool", tool_call_id: "c", tool_name: hostileName() },
    ...{ timestamp: now() - 58, content: hostile() },
  });
  for (const [i, state] of ["active", "paused"].entries())
    add("gw_schedules", {
      ...{ id: `${ID}${i}`, name: hostile(), prompt: hostile(), state, missed: "run", deliver: "local" },
      ...{ rule: JSON.stringify({ kind: "cron", expression: "0 9 * * *" }), target, created_at: now() - 50 },
      next_at: now() + 86_400,
    });
  add("gw_schedule_runs", {
    ...{ schedule_id: `${ID}0`, tick: now() - 100, manual: 0, reason: hostile(), at: now() - 100 },
  });
  const outbox = add("gw_outbox", {
    ...{ nonce: "hostile", kind: "answer", platform: "web", account: "", chat_id: "nobody", target },
    ...{ text: hostile(), state: "sent", created_at: now() - 40, sent_at: now() - 40 },
    files: JSON.stringify([
      { path: "/x", name: hostileName(), mimeType: "text/plain", bytes: 1, problem: hostile() },
    ]),
  });
  add("gw_questions", {
    ...{ id: "hostile-question", kind: "clarify", session_key: "agent:main:web:dm:nobody", text: hostile() },
    choices: JSON.stringify([
      { id: "yes", label: hostileName() },
      { id: "no", label: "No" },
    ]),
    ...{ accepts_text: 1, asked_platform: "web", asked_user: ID, outbox_id: outbox.lastInsertRowid },
    ...{ created_at: now() - 40, not_before: now() + 3600, wait_set_at: now() - 40 },
  });
  add("gw_grants", {
    ...{ subject: `person:telegram:${ID}`, tool: hostileName(), granted_by: `telegram:${ID}`, at: now() },
  });
  const record = { platform: "web", created_at: now() };
  add("gw_records", {
    ...{ ...record, kind: "person", owner: ID, id: ID },
    value: JSON.stringify({ name: hostileName(), owner: false }),
  });
  add("gw_records", {
    ...{ ...record, kind: "device", owner: ID, id: "0".repeat(32) },
    value: JSON.stringify({ label: hostileName(), lastSeenAt: now() }),
  });
  add("gw_records", {
    ...{ ...record, platform: "operator", kind: hostileName(), owner: hostileName(), id: "hostile-action" },
    value: JSON.stringify({
      ...{ from: hostileName(), fields: JSON.stringify({ x: hostile() }), outcome: hostile() },
    }),
  });
}

function addFiles(home: string): void {
  const write = (name: string, text: string) => {
    const file = path.join(home, name);
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    fs.writeFileSync(file, text, { mode: 0o600 });
  };
  write("memories/MEMORY.md", CORPUS.map((one) => `${one} ${LONG}`).join("\n§\n"));
  write(`memories/people/telegram/${"1".repeat(60)}.md`, CORPUS.map((one) => `${one} ${LONG}`).join("\n§\n"));
  const line = (msg: string) =>
    JSON.stringify({ level: 40, time: Date.now(), msg, err: { message: msg }, x: msg });
  write("logs/hermes-gateway.log", `${CORPUS.map((one) => line(`${one} ${LONG}`)).join("\n")}\n`);
  write("hooks/hostile/HOOK.yaml", `name: ${JSON.stringify(hostileName())}\nevents: ["agent:end"]\n`);
}

/** Values that an operator may have pasted from anywhere. `model`: where the provider is. */
export function hostileConfig(token: string, model: string): string {
  const text = (value: string) => JSON.stringify(value);
  return `http: {token: ${token}}
model: {provider: openai-compatible, base_url: "${model}", default: ${text(hostileName())}, api_key: k}
owners: ["telegram:${ID}"]
platforms:
  telegram: {token: "1:hostile", api_root: "http://127.0.0.1:1"}
mcp_servers:
  broken: {command: /nowhere/${"x".repeat(200)}, args: [${text(hostile())}]}
webhooks:
  hostile: {secret: a-secret-of-its-own, prompt: ${text(hostile())}}
`;
}
