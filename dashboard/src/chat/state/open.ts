/** The open conversation: loads it, applies events, and performs the person's actions. */
import { computed, signal } from "@preact/signals";
import type {
  ChatMessage,
  OpenConversation,
  Regenerate,
  Stopped,
  SwitchBranch,
  WebEvent,
} from "../../../../src/adapters/web/api.js";
import { errorText, withQuery } from "../../state/api.js";
import { newId } from "./ids.js";
import { dropConversation, putConversation, refreshList, setBusy } from "./list.js";
import { loadMe } from "./me.js";
import { at, get, post, remove } from "./request.js";
import { go, place } from "./router.js";
import {
  applied,
  emptyThread,
  isContained,
  type Thread,
  type ThreadEvent,
  threadOf,
  withEarlier,
  withSent,
  withTurn,
} from "./thread.js";
import type { Unsent } from "./unsent.js";

export const thread = signal<Thread>(emptyThread(newId()));
export const isLoading = signal(false);
export const openFault = signal<string | undefined>(undefined);
/** When the shown turn began, by this browser's clock, in milliseconds. */
export const turnBegan = signal(0);

export const isBusy = computed(() => thread.value.turn !== null && !thread.value.turn.ended);
export const isEmpty = computed(() => thread.value.messages.length === 0 && thread.value.turn === null);

const MAX_BUFFERED = 2000;

let reading = new AbortController();
/** Events that arrive while the conversation is loading; undefined otherwise. */
let buffered: { event: ThreadEvent; id: string }[] | undefined;

/** Opens the empty page, whose conversation is created by the first message. */
export function openNew(): void {
  reading.abort();
  buffered = undefined;
  isLoading.value = false;
  openFault.value = undefined;
  if (!isFresh) thread.value = emptyThread(newId());
  isFresh = true;
}

/** The empty page's conversation keeps its id until it is opened. */
let isFresh = true;

export async function open(id: string): Promise<void> {
  isFresh = false;
  if (thread.value.id !== id) {
    thread.value = emptyThread(id);
    isLoading.value = true;
  }
  await read(id);
}

/** Reads the conversation again, for example after a lost connection or a branch switch. */
export const reopen = () => read(thread.value.id);

async function read(id: string): Promise<void> {
  reading.abort();
  reading = new AbortController();
  const { signal: ended } = reading;
  buffered = [];
  try {
    const answer = await get<OpenConversation>(at(id), ended);
    if (ended.aborted) return;
    const missed = buffered;
    buffered = undefined;
    // Recently sent messages may still be in the queues and missing from the answer.
    const sent = thread.value.messages.filter((one) => one.from === "user" && one.id.startsWith("sent:"));
    show(sent.reduce(keepSent, threadOf(id, answer)));
    for (const { event, id: eventId } of newerThan(answer.eventCursor, missed)) applyTo(event, eventId);
    openFault.value = undefined;
  } catch (error) {
    if (ended.aborted) return;
    buffered = undefined;
    openFault.value = errorText(error);
  } finally {
    if (!ended.aborted) isLoading.value = false;
  }
}

/** Leaves out events that the read contains. Events are in order, so those before one that it contains are contained, too. */
function newerThan(cursor: string, events: NonNullable<typeof buffered>) {
  return events.slice(events.findLastIndex(({ id }) => id !== "" && isContained(cursor, id)) + 1);
}

function keepSent(into: Thread, one: ChatMessage): Thread {
  const isAnswered = into.turn === null && into.messages.some(({ at: when }) => when > one.at + 1);
  if (one.from !== "user" || one.clientId === null || isAnswered) return into;
  return withSent(into, { ...one, clientId: one.clientId });
}

function show(next: Thread): void {
  const before = thread.value.turn?.turnId;
  if (next.turn && next.turn.turnId !== before) turnBegan.value = Date.now() - next.turn.elapsed * 1000;
  thread.value = next;
}

export async function loadEarlier(): Promise<void> {
  const { id, messages, earlier } = thread.value;
  // Notices have no position in the session.
  const first = messages.find(({ position }) => position > 0);
  if (!earlier || !first) return;
  const { signal: ended } = reading;
  try {
    const page = await get<OpenConversation>(withQuery(at(id), { before: first.position }), ended);
    if (thread.value.id === id) thread.value = withEarlier(thread.value, page);
  } catch (error) {
    if (!ended.aborted) openFault.value = errorText(error);
  }
}

export function onEvent(event: WebEvent, id: string): void {
  switch (event.type) {
    case "hello":
      onHello(event);
      return;
    case "heartbeat":
      return;
    case "identity":
      void loadMe().then(() => Promise.all([refreshList(), reopen()]), logError);
      return;
    case "conversation":
      putConversation(event.conversation);
      if (event.conversation.id === thread.value.id)
        thread.value = { ...thread.value, conversation: event.conversation };
      return;
    case "deleted":
      dropConversation(event.conversationId);
      if (event.conversationId === thread.value.id) go("/", { replace: true });
      return;
    default:
      onThreadEvent(event, id);
  }
}

function onHello({ missed, cursor, turns }: Extract<WebEvent, { type: "hello" }>): void {
  void refreshList();
  for (const turn of turns) setBusy(turn.conversationId, true);
  if (place.value.page !== "conversation") return;
  if (missed || !isContained(thread.value.cursor, cursor)) return void reopen();
  const turn = turns.find(({ conversationId }) => conversationId === thread.value.id);
  if (turn) show(withTurn(thread.value, turn));
}

function onThreadEvent(event: ThreadEvent, id: string): void {
  if (event.type === "turn-started") setBusy(event.conversationId, true);
  if (event.type === "turn-finished") setBusy(event.conversationId, false);
  if (event.conversationId !== thread.value.id) return;
  if (buffered) {
    if (buffered.length < MAX_BUFFERED) buffered.push({ event, id });
    return;
  }
  applyTo(event, id);
}

function applyTo(event: ThreadEvent, id: string): void {
  if (id !== "" && isContained(thread.value.cursor, id)) return;
  show(applied(thread.value, event));
  if (needsRead(event)) void reopen();
}

/** Only a read returns the tool calls, the parts of the answer, the versions, and the turn that waits for a decision. */
function needsRead(event: ThreadEvent): boolean {
  if (event.type === "message") return event.message.from === "gateway" && event.message.kind === "question";
  return event.type === "branched" || event.type === "turn-finished";
}

export function onAccepted(message: Unsent): void {
  if (message.conversationId === thread.value.id) thread.value = withSent(thread.value, message);
}

export async function stop(): Promise<void> {
  await post<Stopped>(at(thread.value.id, "/stop"));
}

export async function withdraw(clientId: string): Promise<void> {
  await remove(at(thread.value.id, `/messages/${encodeURIComponent(clientId)}`));
  thread.value = applied(thread.value, { type: "withdrawn", conversationId: thread.value.id, clientId });
}

export async function regenerate(): Promise<void> {
  await post(at(thread.value.id, "/regenerate"), { clientId: newId() } satisfies Regenerate);
}

export async function edit(messageId: string, text: string, files: string[]): Promise<void> {
  const body = { clientId: newId(), messageId, text, ...(files.length > 0 ? { files } : {}) };
  await post(at(thread.value.id, "/edit"), body);
}

export async function switchBranch(branch: string): Promise<void> {
  await post(at(thread.value.id, "/branch"), { branch } satisfies SwitchBranch);
  await reopen();
}

export async function press(button: string, text: string): Promise<void> {
  await post(at(thread.value.id, "/presses"), { clientId: newId(), button, text });
}

function logError(error: unknown): void {
  console.warn("The page couldn't be brought up to date:", error);
}
