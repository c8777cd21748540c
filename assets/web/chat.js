/** Puts the parts of the page together. */
import { get } from "./api.js";
import { Composer } from "./composer.js";
import { Conversation } from "./conversation.js";
import { byId } from "./dom.js";
import { Drawer } from "./drawer.js";
import { Live } from "./live.js";
import { Sessions } from "./sessions.js";
import { Unsent } from "./unsent.js";

const STATES = { connecting: "Connecting…", open: "Connected", offline: "Offline, trying again" };

const conversation = new Conversation();
const drawer = new Drawer();
const sessions = new Sessions((session, isCurrent) => {
  drawer.close();
  if (!isCurrent) send(`/resume ${session.id}`);
});
const live = new Live({ onEvent, onState });
const unsent = new Unsent({ onAccepted, onFailed });
const commands = [];
const composer = new Composer({ commands, onSend: send });

/** The id of this browser's chat, to notice when the cookie has become another one's. */
let chat;
let wasOpen = false;
/** Messages that were kept from before: the log may have them already, under another id. */
let kept = new Set();
/** Counts what was shown, to notice that the log was read too early to have it. */
let changes = 0;

function send(text) {
  conversation.addOwn(unsent.add(text), "pending");
  conversation.toEnd();
  composer.focus();
}

function onAccepted(message, answer) {
  if (answer.chat !== chat) return location.reload();
  changes += 1;
  if (kept.delete(message.id)) loadLog().catch(() => {});
  else conversation.mark(message.id, "");
}

function onFailed(message, reason) {
  conversation.addOwn(message, "pending");
  conversation.mark(message.id, "failed", reason, () => {
    conversation.remove(message.id);
    composer.fill(message.text);
  });
}

function onEvent(name, data) {
  if (name === "hello" && data.chat !== chat) location.reload();
  if (name === "message") onMessage(data);
  if (name === "decided") onDecided(data);
  if (name === "sent") onSent(data);
  if (name === "preview") conversation.showPreview(data);
  if (name === "tool-started" || name === "tool-ended") conversation.showTool(data);
  if (name === "typing") conversation.showTyping();
  if (name === "session") onSession(data);
}

function onMessage(entry) {
  changes += 1;
  conversation.addEntry(entry);
  void sessions.load();
}

function onDecided(decision) {
  changes += 1;
  conversation.decide(decision);
}

/** From another tab, or our own before the answer to its request: either way the daemon has it. */
function onSent(message) {
  changes += 1;
  conversation.addOwn(message, "");
}

function onSession(session) {
  sessions.setCurrent(session);
  void sessions.load();
}

function onState(state) {
  const shown = byId("connection");
  shown.dataset.state = state;
  shown.textContent = STATES[state];
  if (state !== "open") return;
  void unsent.flush();
  // Back again: other tabs may have written in the meantime.
  if (wasOpen) loadLog().catch(() => {});
  wasOpen = true;
}

async function loadLog() {
  let entries;
  let before;
  do {
    before = changes;
    entries = (await get("/api/chat/log")).entries;
  } while (before !== changes);
  for (const { id } of entries) if (id.startsWith("out:")) live.seen(Number(id.slice(4)));
  const waiting = unsent.all();
  kept = new Set(waiting.map(({ id }) => id));
  conversation.reset(entries, waiting);
}

/** First alone, since the first request of a new browser gives it its cookie. */
async function start() {
  try {
    const current = await get("/api/chat/session");
    chat = current.chat;
    sessions.setCurrent(current.session);
    await loadLog();
  } catch {
    onState("offline");
    setTimeout(start, 3000);
    return;
  }
  live.open();
  void sessions.load();
  const { commands: known } = await get("/api/chat/commands").catch(() => ({ commands: [] }));
  commands.push(...known);
}

byId("new-chat").addEventListener("click", () => {
  drawer.close();
  send("/new");
});
byId("try").addEventListener("click", (event) => {
  const text = event.target.closest("button")?.dataset.text;
  if (text) send(text);
});
// Phones would put their keyboard over the page.
if (matchMedia("(hover: hover)").matches) composer.focus();
void start();
