/** The conversations in the sidebar. */
import { computed, effect, signal } from "@preact/signals";
import type { Conversation, ConversationChange, ConversationPage } from "../../../../src/adapters/web/api.js";
import { errorText, withQuery } from "../../state/api.js";
import { at, get, patch, remove } from "./request.js";

export const query = signal("");
export const showsArchived = signal(false);
export const listFault = signal<string | undefined>(undefined);
export const isListLoaded = signal(false);

const rows = signal<readonly Conversation[]>([]);
const cursor = signal<string | null>(null);
const busy = signal<ReadonlySet<string>>(new Set());

const SETTLE_MS = 200;

export const hasMore = computed(() => cursor.value !== null);
export const conversations = computed(() =>
  rows.value.map((one) => ({ ...one, busy: one.busy || busy.value.has(one.id) })),
);

let reading = new AbortController();
/** Changes that arrive while the list is loading, whose answer may not contain them yet. */
let changesWhileLoading: (() => void)[] = [];

/** Reloads the list when a filter changes and the person stops typing. */
export function startList(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isFirst = true;
  effect(() => {
    void query.value;
    void showsArchived.value;
    clearTimeout(timer);
    timer = setTimeout(() => void refreshList(), isFirst ? 0 : SETTLE_MS);
    isFirst = false;
  });
}

export async function refreshList(): Promise<void> {
  reading.abort();
  reading = new AbortController();
  const { signal: ended } = reading;
  changesWhileLoading = [];
  try {
    const page = await readPage(null, ended);
    if (ended.aborted) return;
    const changes = changesWhileLoading;
    rows.value = page.conversations;
    cursor.value = page.cursor;
    busy.value = new Set();
    isListLoaded.value = true;
    listFault.value = undefined;
    for (const change of changes) change();
  } catch (error) {
    if (!ended.aborted) listFault.value = errorText(error);
  }
}

const MAX_CHANGES_WHILE_LOADING = 200;

function remember(change: () => void): void {
  if (changesWhileLoading.length < MAX_CHANGES_WHILE_LOADING) changesWhileLoading.push(change);
}

export async function moreOfList(): Promise<void> {
  if (cursor.value === null) return;
  const { signal: ended } = reading;
  try {
    const page = await readPage(cursor.value, ended);
    const known = new Set(rows.value.map(({ id }) => id));
    rows.value = [...rows.value, ...page.conversations.filter(({ id }) => !known.has(id))];
    cursor.value = page.cursor;
  } catch (error) {
    if (!ended.aborted) listFault.value = errorText(error);
  }
}

const readPage = (after: string | null, ended: AbortSignal) =>
  get<ConversationPage>(
    withQuery("/conversations", {
      q: query.value.trim(),
      archived: showsArchived.value ? 1 : undefined,
      cursor: after,
    }),
    ended,
  );

/** Adds or updates a conversation that changed here or in another tab. */
export function putConversation(changed: Conversation): void {
  remember(() => put(changed));
  put(changed);
}

function put(changed: Conversation): void {
  const others = rows.value.filter(({ id }) => id !== changed.id);
  const isKnown = others.length < rows.value.length;
  if (query.value.trim() !== "") {
    // Only the server knows what a search matches, but a new title of a shown row appears at once.
    if (isKnown) rows.value = rows.value.map((one) => (one.id === changed.id ? { ...one, ...changed } : one));
    return;
  }
  const belongs = changed.archived === showsArchived.value;
  rows.value = belongs ? [...others, changed].sort(byPlace) : others;
}

const byPlace = (a: Conversation, b: Conversation) =>
  Number(b.pinned) - Number(a.pinned) || b.lastActiveAt - a.lastActiveAt;

export function dropConversation(id: string): void {
  remember(() => drop(id));
  drop(id);
}

function drop(id: string): void {
  rows.value = rows.value.filter((one) => one.id !== id);
}

export function setBusy(id: string, isBusy: boolean): void {
  const next = new Set(busy.value);
  if (isBusy) next.add(id);
  else next.delete(id);
  busy.value = next;
  if (!isBusy) rows.value = rows.value.map((one) => (one.id === id ? { ...one, busy: false } : one));
}

export async function changeConversation(id: string, change: ConversationChange): Promise<Conversation> {
  const changed = await patch<Conversation>(at(id), change);
  putConversation(changed);
  return changed;
}

export async function deleteConversation(id: string): Promise<void> {
  await remove(at(id));
  dropConversation(id);
}

export interface Section {
  label: string;
  rows: readonly Conversation[];
}

const DAY = 86_400;

/** `startOfDay` is in epoch seconds. */
export function sectionsOf(all: readonly Conversation[], startOfDay: number): Section[] {
  const labelOf = ({ pinned, lastActiveAt }: Conversation) => {
    if (pinned) return "Pinned";
    if (lastActiveAt >= startOfDay) return "Today";
    if (lastActiveAt >= startOfDay - DAY) return "Yesterday";
    return lastActiveAt >= startOfDay - 7 * DAY ? "Last 7 days" : "Earlier";
  };
  return ["Pinned", "Today", "Yesterday", "Last 7 days", "Earlier"]
    .map((label) => ({ label, rows: all.filter((one) => labelOf(one) === label) }))
    .filter((section) => section.rows.length > 0);
}
