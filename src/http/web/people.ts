/** Signs people in and out. A browser becomes a device of a person, who gets the browser's conversations. */
import type { Context } from "hono";
import type { Device } from "../../adapters/web/api.js";
import { knownBrowser, newBrowser } from "../../adapters/web/browser.js";
import { MAIN, PLATFORM } from "../../adapters/web/normalise.js";
import { nowSeconds } from "../../clock.js";
import { HermesError } from "../../errors.js";
import { killPoint } from "../../kill-point.js";
import { endLoginCode, type WebLogin } from "../../sessions/web-login.js";
import { chatKey, scopeOf, type WebChat } from "./chat.js";
import { deviceLabel } from "./device-label.js";
import { DEVICE, PERSON, type PersonValue, type Visitor, visitorBy } from "./visitor.js";

interface DeviceValue {
  label: string;
  lastSeenAt: number;
  /** The login link that was used. */
  login?: string | undefined;
}

const MAX_DEVICES = 50;
const SEEN_INTERVAL_SECONDS = 3600;

/**
 * Sets a new cookie. The old one, which someone else may have planted, becomes invalid. The code of a login
 * link ends last: after a crash in between, the page sends it again.
 */
export async function signIn(c: Context, chat: WebChat, login: WebLogin & { id?: string }): Promise<Visitor> {
  const { store } = chat;
  const { person, name, owner } = login;
  killPoint("login-found");
  const browser = knownBrowser(c);
  const before = browser === undefined ? undefined : await visitorBy(browser, store);
  if (before && !before.signedIn) await chat.store.moveChat(PLATFORM, before.id, { person });
  killPoint("login-moved");
  const [known] = await store.listRecords({ platform: PLATFORM, kind: PERSON, id: person });
  const value: PersonValue = { name: name ?? (known?.value as PersonValue | undefined)?.name ?? null, owner };
  await store.saveRecord({ platform: PLATFORM, kind: PERSON, owner: person, id: person, value });
  const id = newBrowser(c);
  const label = deviceLabel(c.req.header("user-agent"));
  const device: DeviceValue = { label, lastSeenAt: nowSeconds(), login: login.id };
  await store.saveRecord({ platform: PLATFORM, kind: DEVICE, owner: person, id, value: device });
  killPoint("login-saved");
  if (login.id !== undefined) await endLink(chat, person, id, login.id);
  if (before?.deviceId) await store.removeRecords({ platform: PLATFORM, kind: DEVICE, id: before.deviceId });
  await dropOldest(chat, person);
  if (before) chat.adapter.live.cut(before.id);
  return { id: person, ...value, signedIn: true, deviceId: id };
}

/** Ends the link's code. Removes devices of the same link whose cookie never arrived because of a crash. */
async function endLink({ store }: WebChat, owner: string, id: string, login: string): Promise<void> {
  const devices = await store.listRecords({ platform: PLATFORM, kind: DEVICE, owner });
  const stale = devices.filter((one) => one.id !== id && (one.value as DeviceValue).login === login);
  for (const one of stale) await store.removeRecords({ platform: PLATFORM, kind: DEVICE, owner, id: one.id });
  await endLoginCode(store, login);
}

/** A login moves the browser's conversations, so none of them may have a running turn. */
export async function requireIdle(c: Context, chat: WebChat): Promise<void> {
  const browser = knownBrowser(c);
  const visitor = browser === undefined ? undefined : await visitorBy(browser, chat.store);
  if (!visitor || visitor.signedIn) return;
  const owner = { person: { platform: PLATFORM, userId: visitor.id }, key: chatKey(chat, visitor) };
  const { conversations } = await chat.store.listConversations({ ...owner, limit: 1000 });
  const keys = conversations.map(({ id }) => scopeOf(chat, visitor, id ?? MAIN).key);
  const isBusy =
    chat.adapter.live.turnsOf(visitor.id).length > 0 || keys.some((key) => chat.gateway.isBusy(key));
  if (isBusy)
    throw new HermesError(
      "conflict",
      "An answer is being written: wait for it or stop it, then sign in again",
    );
}

async function dropOldest({ store }: WebChat, person: string): Promise<void> {
  const devices = await store.listRecords({ platform: PLATFORM, kind: DEVICE, owner: person });
  for (const { id } of devices.slice(0, Math.max(0, devices.length - MAX_DEVICES)))
    await store.removeRecords({ platform: PLATFORM, kind: DEVICE, owner: person, id });
}

export async function signOut(
  chat: Pick<WebChat, "store" | "adapter">,
  person: Pick<Visitor, "id">,
  deviceId: string,
): Promise<void> {
  const device = { platform: PLATFORM, kind: DEVICE, owner: person.id, id: deviceId };
  const removed = await chat.store.removeRecords(device);
  if (removed.length === 0) throw new HermesError("not_found", "There is no such device");
  chat.adapter.live.cut(person.id);
}

export async function devicesOf(
  { store }: Pick<WebChat, "store">,
  person: Pick<Visitor, "id" | "signedIn" | "deviceId">,
): Promise<Device[]> {
  if (!person.signedIn) return [];
  const rows = await store.listRecords({ platform: PLATFORM, kind: DEVICE, owner: person.id });
  return rows.map(({ id, value, createdAt }) => {
    const { label, lastSeenAt } = value as DeviceValue;
    return { id, label, createdAt, lastSeenAt, current: id === person.deviceId };
  });
}

/** Updates the device's last use, at most once an hour. */
export async function noteSeen({ store }: WebChat, { deviceId: id }: Visitor): Promise<void> {
  if (id === null) return;
  const [device] = await store.listRecords({ platform: PLATFORM, kind: DEVICE, id });
  const now = nowSeconds();
  if (!device || now - (device.value as DeviceValue).lastSeenAt < SEEN_INTERVAL_SECONDS) return;
  const { platform, kind, owner, value } = device;
  await store.saveRecord({
    platform,
    kind,
    owner,
    id,
    value: { ...(value as DeviceValue), lastSeenAt: now },
  });
}
