/** Who sends a request: a signed-in person, or an anonymous browser. */
import type { Context } from "hono";
import { browserChatId, knownBrowser } from "../../adapters/web/browser.js";
import { PLATFORM } from "../../adapters/web/normalise.js";
import type { Store } from "../../store/store.js";

export const DEVICE = "device";
export const PERSON = "person";

export interface Visitor {
  id: string;
  name: string | null;
  signedIn: boolean;
  owner: boolean;
  /** Null: not signed in. */
  deviceId: string | null;
}

export interface PersonValue {
  name: string | null;
  owner: boolean;
}

export async function visitorOf(c: Context, store: Store): Promise<Visitor> {
  return visitorBy(browserChatId(c), store);
}

/** Whether the request comes from a signed-in device. */
export async function isSignedIn(c: Context, store: Store): Promise<boolean> {
  const browser = knownBrowser(c);
  return browser !== undefined && (await visitorBy(browser, store)).signedIn;
}

/** A signed-in browser's device has the browser's id, which is derived from its cookie. */
export async function visitorBy(browserId: string, store: Pick<Store, "listRecords">): Promise<Visitor> {
  const [device] = await store.listRecords({ platform: PLATFORM, kind: DEVICE, id: browserId });
  if (!device) return { id: browserId, name: null, signedIn: false, owner: false, deviceId: null };
  const [person] = await store.listRecords({ platform: PLATFORM, kind: PERSON, id: device.owner });
  const { name = null, owner = false } = (person?.value ?? {}) as Partial<PersonValue>;
  return { id: device.owner, name, signedIn: true, owner, deviceId: browserId };
}
