/** Our own tables: inbox, routes, outbox, pairing, schedules. */
export const QUEUE_TABLES = [
  // Layout 1 called it gw_inbox, which SQLite treats as the same name: see migrate-layout.ts.
  `CREATE TABLE IF NOT EXISTS gw_Inbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    platform TEXT NOT NULL,
    account TEXT NOT NULL,
    event_id TEXT NOT NULL,
    session_key TEXT NOT NULL,
    chat_id TEXT,
    payload TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting',
    attempts INTEGER NOT NULL DEFAULT 0,
    not_before REAL NOT NULL DEFAULT 0,
    wait_set_at REAL,
    received_at REAL NOT NULL,
    started_at REAL,
    finished_at REAL,
    boot_id TEXT,
    turn_id TEXT,
    session_id TEXT,
    reason TEXT,
    error TEXT,
    unanswered_ids TEXT,
    owner TEXT NOT NULL DEFAULT 'gateway',
    UNIQUE (platform, account, event_id)
)`,
  // due_at: earliest time of a reset; the sweep skips the route until then. 0 if unknown.
  `CREATE TABLE IF NOT EXISTS gw_routes (
    session_key TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    origin TEXT NOT NULL,
    tuple TEXT NOT NULL,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    last_user_activity REAL NOT NULL,
    last_prompt_tokens INTEGER NOT NULL DEFAULT 0,
    epoch INTEGER NOT NULL DEFAULT 1,
    expired_reason TEXT,
    flags TEXT NOT NULL DEFAULT '{}',
    due_at REAL NOT NULL DEFAULT 0,
    model TEXT,
    agent TEXT,
    human_until REAL
)`,
  `CREATE TABLE IF NOT EXISTS gw_outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    nonce TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    platform TEXT NOT NULL,
    account TEXT NOT NULL,
    chat_id TEXT,
    target TEXT NOT NULL,
    text TEXT NOT NULL,
    session_key TEXT,
    turn_id TEXT,
    inbox_id INTEGER,
    state TEXT NOT NULL DEFAULT 'pending',
    attempts INTEGER NOT NULL DEFAULT 0,
    not_before REAL NOT NULL DEFAULT 0,
    wait_set_at REAL,
    created_at REAL NOT NULL,
    sent_at REAL,
    boot_id TEXT,
    may_be_repeat INTEGER NOT NULL DEFAULT 0,
    message_ids TEXT,
    replaces TEXT,
    lost_preview_of TEXT,
    files TEXT,
    error TEXT,
    trace_id TEXT,
    details TEXT,
    parts TEXT,
    question TEXT,
    owner TEXT NOT NULL DEFAULT 'gateway'
)`,
  `CREATE TABLE IF NOT EXISTS gw_pairing (
    id TEXT PRIMARY KEY,
    platform TEXT NOT NULL,
    user_id TEXT NOT NULL,
    user_name TEXT,
    hash TEXT,
    salt TEXT,
    created_at REAL NOT NULL,
    approved_at REAL
)`,
  `CREATE TABLE IF NOT EXISTS gw_cursors (
    platform TEXT NOT NULL,
    account TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (platform, account, name)
) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS gw_penalties (
    platform TEXT NOT NULL,
    account TEXT NOT NULL,
    chat_id TEXT NOT NULL,
    until REAL NOT NULL,
    set_at REAL,
    PRIMARY KEY (platform, account, chat_id)
) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS gw_schedules (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    prompt TEXT NOT NULL,
    rule TEXT NOT NULL,
    time_zone TEXT,
    missed TEXT NOT NULL,
    deliver TEXT NOT NULL,
    target TEXT,
    maker TEXT,
    state TEXT NOT NULL DEFAULT 'active',
    next_at REAL,
    run_requested_at REAL,
    created_at REAL NOT NULL
)`,
  `CREATE TABLE IF NOT EXISTS gw_schedule_runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    schedule_id TEXT NOT NULL,
    tick REAL NOT NULL,
    manual INTEGER NOT NULL,
    inbox_id INTEGER,
    reason TEXT,
    at REAL NOT NULL,
    UNIQUE (schedule_id, tick, manual)
)`,
  // Edits and deletions of messages an agent has seen. text: null if the author deleted it. known_text: JSON
  // of the text the agent has seen; null for the original. pending: the agent hasn't seen the change yet.
  `CREATE TABLE IF NOT EXISTS gw_message_changes (
    inbox_id INTEGER PRIMARY KEY,
    session_key TEXT NOT NULL,
    text TEXT,
    at REAL NOT NULL,
    known_text TEXT,
    pending INTEGER NOT NULL DEFAULT 1
)`,
  // message_id: empty if the preview may have been posted with an unknown id. text: what a failed turn has shown.
  `CREATE TABLE IF NOT EXISTS gw_previews (
    inbox_id INTEGER PRIMARY KEY,
    message_id TEXT NOT NULL,
    text TEXT NOT NULL DEFAULT ''
)`,
  "CREATE TABLE IF NOT EXISTS gw_stale_transcripts (session_id TEXT PRIMARY KEY) WITHOUT ROWID",
  // Two chats can get the same session key: the first one keeps it, another one gets a suffix.
  `CREATE TABLE IF NOT EXISTS gw_keys (
    session_key TEXT PRIMARY KEY,
    tuple TEXT NOT NULL
) WITHOUT ROWID`,
  // The journal of running and interrupted turns. usage, inbox_id: see StepEntry.
  `CREATE TABLE IF NOT EXISTS gw_steps (
    turn_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    message TEXT NOT NULL,
    usage TEXT,
    inbox_id INTEGER,
    PRIMARY KEY (turn_id, position)
) WITHOUT ROWID`,
  // What became of each attempt at a turn. requests: model requests, as JSON; last, because sums over a day don't read it.
  `CREATE TABLE IF NOT EXISTS gw_attempts (
    turn_id TEXT PRIMARY KEY,
    inbox_id INTEGER NOT NULL,
    platform TEXT NOT NULL,
    model TEXT,
    received_at REAL NOT NULL,
    started_at REAL NOT NULL,
    ended_at REAL NOT NULL,
    outcome TEXT NOT NULL,
    tokens INTEGER NOT NULL DEFAULT 0,
    cost_usd REAL NOT NULL DEFAULT 0,
    error TEXT,
    requests TEXT NOT NULL DEFAULT '[]'
)`,
  // Every tool call, for the journal and the audit.
  `CREATE TABLE IF NOT EXISTS gw_tool_calls (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    call_id TEXT NOT NULL,
    turn_id TEXT NOT NULL,
    session_key TEXT NOT NULL,
    session_id TEXT NOT NULL,
    platform TEXT NOT NULL,
    user_id TEXT NOT NULL,
    user_name TEXT,
    chat_id TEXT,
    tool TEXT NOT NULL,
    arguments TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting',
    result TEXT,
    decided_by TEXT,
    created_at REAL NOT NULL,
    started_at REAL,
    ended_at REAL
)`,
  `CREATE TABLE IF NOT EXISTS gw_questions (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'open',
    session_key TEXT NOT NULL,
    text TEXT NOT NULL,
    choices TEXT NOT NULL,
    accepts_text INTEGER NOT NULL,
    asked_platform TEXT,
    asked_user TEXT,
    call_id TEXT UNIQUE,
    commands TEXT,
    turn_id TEXT,
    outbox_id INTEGER NOT NULL,
    created_at REAL NOT NULL,
    not_before REAL NOT NULL,
    wait_set_at REAL,
    answer TEXT,
    decided_at REAL,
    shown INTEGER NOT NULL DEFAULT 0,
    owner TEXT NOT NULL DEFAULT 'gateway'
)`,
  // Remembered approvals. subject: "person:<platform>:<user>" or "session:<id>".
  `CREATE TABLE IF NOT EXISTS gw_grants (
    subject TEXT NOT NULL,
    tool TEXT NOT NULL,
    granted_by TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (subject, tool)
) WITHOUT ROWID`,
  // Small documents that platforms keep about their people. place: the conversation that it belongs to.
  `CREATE TABLE IF NOT EXISTS gw_records (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    platform TEXT NOT NULL,
    kind TEXT NOT NULL,
    owner TEXT NOT NULL,
    id TEXT NOT NULL,
    place TEXT,
    value TEXT NOT NULL,
    created_at REAL NOT NULL,
    expires_at REAL,
    UNIQUE (platform, kind, id)
)`,
  "CREATE TABLE IF NOT EXISTS gw_pairing_limits (name TEXT PRIMARY KEY, value REAL NOT NULL) WITHOUT ROWID",
];

/**
 * Finished rows are kept for traces; queries look for open ones. SQLite uses a partial index only for
 * queries that repeat its whole condition.
 */
export const OPEN_IN = "state IN ('waiting', 'running', 'dead')";
export const OPEN_OUT = "state IN ('pending', 'sending', 'unknown', 'dead')";

/** The chat got a failure notice, so the operator doesn't have to act. */
export const IS_TOLD = `EXISTS (SELECT 1 FROM gw_outbox told WHERE told.inbox_id = gw_inbox.id AND told.kind = 'notice'
    AND told.state = 'sent'
  UNION ALL SELECT 1 FROM gw_outbox told WHERE told.turn_id = gw_inbox.turn_id AND told.kind = 'notice'
    AND told.state = 'sent')`;

export const QUEUE_INDEXES = [
  `CREATE INDEX IF NOT EXISTS gw_inbox_open ON gw_inbox(state, id) WHERE ${OPEN_IN}`,
  "CREATE INDEX IF NOT EXISTS gw_inbox_chat ON gw_inbox(platform, chat_id, id)",
  "CREATE INDEX IF NOT EXISTS gw_inbox_key ON gw_inbox(session_key, id) WHERE state = 'waiting'",
  "CREATE INDEX IF NOT EXISTS gw_inbox_finished ON gw_inbox(finished_at) WHERE finished_at IS NOT NULL",
  "CREATE INDEX IF NOT EXISTS gw_routes_session ON gw_routes(session_id)",
  "CREATE INDEX IF NOT EXISTS gw_routes_due ON gw_routes(due_at) WHERE expired_reason IS NULL",
  `CREATE INDEX IF NOT EXISTS gw_outbox_open ON gw_outbox(state, id) WHERE ${OPEN_OUT}`,
  "CREATE INDEX IF NOT EXISTS gw_outbox_chat ON gw_outbox(platform, chat_id, id)",
  // Finds what blocks a chat's next message; without it each claim would read everything ever sent to the chat.
  `CREATE INDEX IF NOT EXISTS gw_outbox_unsettled ON gw_outbox(platform, chat_id, id)
    WHERE state IN ('pending', 'sending')`,
  "CREATE INDEX IF NOT EXISTS gw_outbox_inbox ON gw_outbox(inbox_id) WHERE inbox_id IS NOT NULL",
  "CREATE INDEX IF NOT EXISTS gw_outbox_turn ON gw_outbox(turn_id) WHERE turn_id IS NOT NULL",
  "CREATE INDEX IF NOT EXISTS gw_outbox_sent ON gw_outbox(sent_at) WHERE sent_at IS NOT NULL",
  `CREATE UNIQUE INDEX IF NOT EXISTS gw_schedules_name ON gw_schedules(name COLLATE NOCASE)
    WHERE state <> 'done'`,
  "CREATE INDEX IF NOT EXISTS gw_message_changes_pending ON gw_message_changes(session_key) WHERE pending = 1",
  "CREATE INDEX IF NOT EXISTS gw_attempts_inbox ON gw_attempts(inbox_id)",
  "CREATE INDEX IF NOT EXISTS gw_attempts_ended ON gw_attempts(ended_at)",
  "CREATE INDEX IF NOT EXISTS gw_tool_calls_turn ON gw_tool_calls(turn_id)",
  "CREATE INDEX IF NOT EXISTS gw_tool_calls_user ON gw_tool_calls(platform, user_id, seq)",
  "CREATE INDEX IF NOT EXISTS gw_tool_calls_ended ON gw_tool_calls(ended_at) WHERE ended_at IS NOT NULL",
  "CREATE INDEX IF NOT EXISTS gw_questions_turn ON gw_questions(turn_id) WHERE turn_id IS NOT NULL",
  "CREATE INDEX IF NOT EXISTS gw_questions_decided ON gw_questions(decided_at) WHERE decided_at IS NOT NULL",
  "CREATE INDEX IF NOT EXISTS gw_questions_open ON gw_questions(session_key) WHERE state = 'open'",
  "CREATE INDEX IF NOT EXISTS gw_questions_unshown ON gw_questions(decided_at) WHERE shown = 0 AND state <> 'open'",
  "CREATE INDEX IF NOT EXISTS gw_records_owner ON gw_records(platform, owner, kind, place)",
  "CREATE INDEX IF NOT EXISTS gw_records_expiry ON gw_records(expires_at) WHERE expires_at IS NOT NULL",
  "CREATE INDEX IF NOT EXISTS gw_pairing_user ON gw_pairing(platform, user_id)",
];
