/**
 * Messages that the server hasn't accepted yet. They survive reloads and are sent with the same id until they are accepted;
 * by that id, the server recognises a message that had already arrived.
 */
import { signal } from "@preact/signals";
import type { Accepted, Upload } from "../../../../src/adapters/web/api.js";
import { ApiError, errorText } from "../../state/api.js";
import { at, post } from "./request.js";
import { readStorage, writeStorage } from "./storage.js";

export interface Unsent {
  conversationId: string;
  clientId: string;
  text: string;
  files: Upload[];
  at: number;
  /** Why the server refused it. */
  fault?: string;
}

const KEY = "hermes.unsent-messages";
const MAX_PAUSE_MS = 15_000;
const FIRST_PAUSE_MS = 1000;
/** Errors worth a retry: no connection, not logged in, timeout, too early, too many requests. */
const TRANSIENT = [0, 401, 408, 425, 429];

export const unsent = signal<readonly Unsent[]>(readStorage<Unsent[]>(KEY, []).filter(isUnsent));

let onAccepted: (message: Unsent) => void = () => {};
let isSending = false;
let pauseMs = FIRST_PAUSE_MS;
let timer: ReturnType<typeof setTimeout> | undefined;

/** The storage may contain messages of an older version of the page. */
function isUnsent(value: Partial<Unsent> | null): value is Unsent {
  return typeof value?.clientId === "string" && typeof value.text === "string" && Array.isArray(value.files);
}

export function startSending(accepted: (message: Unsent) => void): void {
  onAccepted = accepted;
  window.addEventListener("online", sendNow);
  void flush();
}

export function send(message: Unsent): void {
  store([...unsent.value, message]);
  void flush();
}

export function sendNow(): void {
  pauseMs = FIRST_PAUSE_MS;
  void flush();
}

export function retry(clientId: string): void {
  store(unsent.value.map((one) => (one.clientId === clientId ? withoutFault(one) : one)));
  sendNow();
}

export function discard(clientId: string): void {
  store(unsent.value.filter((one) => one.clientId !== clientId));
}

function withoutFault({ fault: _, ...rest }: Unsent): Unsent {
  return rest;
}

/** Sends one message after the other, so that they arrive in order. */
async function flush(): Promise<void> {
  clearTimeout(timer);
  if (isSending) return;
  isSending = true;
  try {
    for (let next = nextOne(); next; next = nextOne()) await sendOne(next);
    pauseMs = FIRST_PAUSE_MS;
  } catch {
    // The connection is lost, which the page shows: try again after a pause.
    timer = setTimeout(() => void flush(), pauseMs);
    pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2);
  } finally {
    isSending = false;
  }
}

const nextOne = () => unsent.value.find(({ fault }) => fault === undefined);

async function sendOne(message: Unsent): Promise<void> {
  const { conversationId, clientId, text, files } = message;
  try {
    const body = { clientId, text, ...(files.length > 0 ? { files: files.map(({ id }) => id) } : {}) };
    await post<Accepted>(at(conversationId, "/messages"), body);
    discard(clientId);
    onAccepted(message);
  } catch (error) {
    if (!isFinal(error)) throw error;
    const fault = errorText(error);
    store(unsent.value.map((one) => (one.clientId === clientId ? { ...one, fault } : one)));
  }
}

function isFinal(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500 && !TRANSIENT.includes(error.status);
}

function store(messages: readonly Unsent[]): void {
  unsent.value = messages;
  writeStorage(KEY, messages);
}
