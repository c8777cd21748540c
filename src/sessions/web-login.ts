/** Login links of the web chat: a code that works once, for a few minutes. */
import { createHash, randomBytes } from "node:crypto";
import { nowSeconds } from "../clock.js";
import type { Store } from "../store/store.js";
import { OPERATOR, WEB } from "../web-person.js";

const LOGIN = "login";
const MINUTES = 10;

export interface WebLogin {
  person: string;
  name: string | null;
  owner: boolean;
}

export async function newLoginCode(store: Pick<Store, "saveRecord">, login: WebLogin): Promise<string> {
  const code = randomBytes(24).toString("base64url");
  const record = { platform: WEB, kind: LOGIN, owner: login.person, id: idOf(code) };
  await store.saveRecord({ ...record, value: login, expiresAt: nowSeconds() + MINUTES * 60 });
  return code;
}

/** Undefined: it was used, has expired, or never was one. */
export async function takeLoginCode(
  store: Pick<Store, "removeRecords" | "listRecords">,
  code: string,
): Promise<WebLogin | undefined> {
  if (!/^[\w-]{32}$/.test(code)) return undefined;
  const [taken] = await store.removeRecords({ platform: WEB, kind: LOGIN, id: idOf(code) });
  return taken?.value as WebLogin | undefined;
}

/** `next`: the page that it leads to, if that isn't the web chat. */
export function loginLink(url: string, code: string, next?: "/dashboard"): string {
  const query = next === undefined ? "" : `?${new URLSearchParams({ next })}`;
  return `${url.replace(/\/$/, "")}/login/link${query}#${code}`;
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
