/** Login links of the web chat: a code that works once, for a few minutes. */
import { createHash, randomBytes } from "node:crypto";
import { nowSeconds } from "../clock.js";
import { OPERATOR, WEB } from "../policies/web-person.js";
import type { Store } from "../store/store.js";

const LOGIN = "login";
export const LINK_MINUTES = 10;

export interface WebLogin {
  person: string;
  name: string | null;
  owner: boolean;
}

export async function newLoginCode(store: Pick<Store, "saveRecord">, login: WebLogin): Promise<string> {
  const code = randomBytes(24).toString("base64url");
  const record = { platform: WEB, kind: LOGIN, owner: login.person, id: idOf(code) };
  await store.saveRecord({ ...record, value: login, expiresAt: nowSeconds() + LINK_MINUTES * 60 });
  return code;
}

/** The person the code signs in, and its id in the database. Undefined if it was used, has expired, or never existed. */
export async function findLogin(
  store: Pick<Store, "listRecords">,
  code: string,
): Promise<(WebLogin & { id: string }) | undefined> {
  if (!/^[\w-]{32}$/.test(code)) return undefined;
  const id = idOf(code);
  const [found] = await store.listRecords({ platform: WEB, kind: LOGIN, id });
  return found && { ...(found.value as WebLogin), id };
}

export async function endLoginCode(store: Pick<Store, "removeRecords">, id: string): Promise<void> {
  await store.removeRecords({ platform: WEB, kind: LOGIN, id });
}

/** `next`: the page that it leads to, if that isn't the web chat. */
export function loginLink(url: string, code: string, next?: "/dashboard"): string {
  return url.replace(/\/$/, "") + loginPath(code, next);
}

export function loginPath(code: string, next?: "/dashboard"): string {
  const query = next === undefined ? "" : `?${new URLSearchParams({ next })}`;
  return `/login/link${query}#${code}`;
}

/** Signs the operator in, to the dashboard, too. */
export async function operatorLink(
  store: Pick<Store, "saveRecord">,
  url: string,
  next?: "/dashboard",
): Promise<string> {
  return loginLink(url, await newLoginCode(store, { person: OPERATOR, name: null, owner: true }), next);
}

/** The database doesn't have the code itself. */
function idOf(code: string): string {
  return createHash("sha256").update(`hermes login ${code}`).digest("hex");
}
