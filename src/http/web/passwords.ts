/** Names and passwords for the web chat. The owner sets them. */
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { PLATFORM } from "../../adapters/web/normalise.js";
import { HermesError } from "../../errors.js";
import { webPersonOf } from "../../policies/web-person.js";
import type { WebLogin } from "../../sessions/web-login.js";
import type { Store } from "../../store/store.js";
import { DEVICE } from "./visitor.js";

const PASSWORD = "password";
export const MIN_CHARS = 10;
export const MAX_CHARS = 200;
const NAME = /^[\w.@-]{1,100}$/;
const KEY_BYTES = 32;
/** About 50 ms and 32 MB. */
const COST = { N: 32_768, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };

const derive = promisify<string, Buffer, number, typeof COST, Buffer>(scrypt);

interface PasswordStore {
  store: Pick<Store, "saveRecord" | "removeRecords" | "listRecords">;
}

interface PasswordValue {
  name: string;
  salt: string;
  hash: string;
}

/** Signs the person out everywhere, because others may know the old password. Returns the person. */
export async function setPassword({ store }: PasswordStore, name: string, password: string): Promise<string> {
  if (!NAME.test(name)) throw new HermesError("invalid", "A name has letters, digits and . @ _ - only");
  const salt = randomBytes(16);
  const hash = await derive(password, salt, KEY_BYTES, COST);
  const value: PasswordValue = { name, salt: salt.toString("base64"), hash: hash.toString("base64") };
  const record = { platform: PLATFORM, kind: PASSWORD, owner: personOf(name), id: name.toLowerCase() };
  await store.saveRecord({ ...record, value });
  return endDevices({ store }, name);
}

/** Also signs the person out everywhere. Returns the person. */
export async function removePassword({ store }: PasswordStore, name: string): Promise<string> {
  const record = { platform: PLATFORM, kind: PASSWORD, id: name.toLowerCase() };
  if ((await store.removeRecords(record)).length === 0)
    throw new HermesError("not_found", "There is no such name");
  return endDevices({ store }, name);
}

async function endDevices({ store }: PasswordStore, name: string): Promise<string> {
  const person = personOf(name);
  await store.removeRecords({ platform: PLATFORM, kind: DEVICE, owner: person });
  return person;
}

export async function passwordNames({ store }: PasswordStore): Promise<string[]> {
  const rows = await store.listRecords({ platform: PLATFORM, kind: PASSWORD });
  return rows.map(({ value }) => (value as PasswordValue).name);
}

/** The name that a person signs in with; undefined: no password. */
export async function passwordOf({ store }: PasswordStore, person: string): Promise<string | undefined> {
  const [row] = await store.listRecords({ platform: PLATFORM, kind: PASSWORD, owner: person });
  return (row?.value as PasswordValue | undefined)?.name;
}

/** Undefined: wrong name or password. Both take the same time, so that names can't be probed. */
export async function checkPassword(
  { store }: PasswordStore,
  name: string,
  password: string,
): Promise<WebLogin | undefined> {
  const record = { platform: PLATFORM, kind: PASSWORD, id: name.toLowerCase().slice(0, 100) };
  const [row] = await store.listRecords(record);
  const known = row?.value as PasswordValue | undefined;
  const salt = known ? Buffer.from(known.salt, "base64") : randomBytes(16);
  const hash = await derive(password, salt, KEY_BYTES, COST);
  if (!known || !timingSafeEqual(hash, Buffer.from(known.hash, "base64"))) return undefined;
  return { person: personOf(known.name), name: known.name, owner: false };
}

function personOf(name: string): string {
  return webPersonOf(`password:${name.toLowerCase()}`);
}
