/** `hermes web`: sign-in to the web chat, and signed-in devices. */
import { text as readAll } from "node:stream/consumers";
import { Command } from "commander";
import { nowSeconds } from "../clock.js";
import { HermesError } from "../errors.js";
import { MAX_CHARS, MIN_CHARS, passwordNames, removePassword, setPassword } from "../http/web/passwords.js";
import { WEB } from "../policies/web-person.js";
import type { Store } from "../store/store.js";
import { drawColumns } from "./columns.js";
import { io } from "./io.js";
import { noDatabase, SHORT, withNewStore, withStore } from "./open.js";
import { openInBrowser } from "./open-browser.js";
import { newOperatorLink, runningUrl } from "./operator-link.js";
import { jsonOption } from "./options.js";
import { isInteractive, print, printJson } from "./output.js";
import { relativeTime } from "./times.js";

interface Options {
  json?: boolean;
}

export function webCommand(): Command {
  const web = new Command("web");
  web
    .command("link")
    .description("Print a link that signs you in as the operator: once, within ten minutes")
    .option("--open", "open it in the browser")
    .addOption(jsonOption())
    .action(link);
  web
    .command("password")
    .description("Set the password of a name, or remove it; without a name, list the names")
    .argument("[name]", "letters, digits and . @ _ -")
    .option("--remove", "remove the password; signed-in devices stay signed in")
    .addOption(jsonOption())
    .addHelpText("after", PASSWORD_HELP)
    .action(password);
  web
    .command("people")
    .description("List the people who have signed in, and their devices")
    .addOption(jsonOption())
    .action(people);
  return web;
}

const PASSWORD_HELP = `
The password is asked for on the terminal, or read from standard input: as an argument, other users of this machine could see it.`;

async function link({ open, json }: Options & { open?: boolean }): Promise<void> {
  const made = await newOperatorLink(await runningUrl());
  if (made === undefined)
    throw new HermesError("refused", "The web chat is turned off.", {
      hint: `Turn it on with \`hermes config set platforms.${WEB}.enabled true\`, then restart the gateway.`,
    });
  if (open) openInBrowser(made);
  json ? printJson({ link: made }) : print(made);
}

async function password(name: string | undefined, options: Options & { remove?: boolean }): Promise<void> {
  const { json, remove } = options;
  if (name === undefined) return listNames(json);
  if (remove) {
    await withStore((store) => removePassword({ store }, name), noDatabase, SHORT);
    return json
      ? printJson({ name, removed: true })
      : print(`${name} can no longer sign in with a password.`);
  }
  const given = checked(isInteractive() ? await asked(name) : await readAll(io().stdin));
  await withNewStore((store) => setPassword({ store }, name, given), SHORT);
  json ? printJson({ name, set: true }) : print(`${name} can sign in to the web chat with this password.`);
}

async function listNames(json = false): Promise<void> {
  const names = await withStore<string[]>(
    (store) => passwordNames({ store }),
    () => [],
    SHORT,
  );
  if (json) printJson({ names });
  else print(names.length === 0 ? "No name has a password." : names.join("\n"));
}

function checked(given: string): string {
  const text = given.replace(/\r?\n$/, "");
  if (text.length >= MIN_CHARS && text.length <= MAX_CHARS) return text;
  throw new HermesError("invalid", `A password has ${MIN_CHARS} to ${MAX_CHARS} characters.`, {
    hint: "Type it on a terminal, or pipe it in: hermes web password NAME < FILE",
  });
}

async function asked(name: string): Promise<string> {
  const clack = await import("@clack/prompts");
  const { stdin: input, stderr: output } = io();
  const given = await clack.password({ message: `Password of ${name}`, input, output });
  if (typeof given === "string") return given;
  throw new HermesError("refused", "Cancelled: nothing was changed.");
}

interface SignedIn {
  id: string;
  name: string | null;
  owner: boolean;
  devices: { id: string; label: string; last_seen_at: number }[];
}

async function people({ json }: Options): Promise<void> {
  const found = await withStore<SignedIn[]>(signedIn, () => [], SHORT);
  if (json) printJson(found);
  else print(found.length === 0 ? "No person has signed in to the web chat yet." : table(found));
}

async function signedIn(store: Store): Promise<SignedIn[]> {
  const [persons, devices] = await Promise.all([
    store.listRecords({ platform: WEB, kind: "person" }),
    store.listRecords({ platform: WEB, kind: "device" }),
  ]);
  return persons.map(({ id, value }) => ({
    id,
    ...(value as Pick<SignedIn, "name" | "owner">),
    devices: devices.flatMap(({ owner, id: device, value: about }) => {
      const { label, lastSeenAt } = about as { label: string; lastSeenAt: number };
      return owner === id ? [{ id: device, label, last_seen_at: lastSeenAt }] : [];
    }),
  }));
}

const COLUMNS = [
  { header: "Person", width: 37 },
  { header: "Name", width: 22, cut: 20, min: 6 },
  { header: "Device", width: 24, cut: 22, min: 8 },
  { header: "Last seen", width: 0 },
];

/** One line per device. */
function table(found: readonly SignedIn[]): string {
  const now = nowSeconds();
  const rows = found.flatMap(({ id, name, owner, devices }) => {
    const who = [`web:${id}`, name ?? (owner ? "(owner)" : "—")];
    if (devices.length === 0) return [[...who, "signed out", ""]];
    return devices.map(({ label, last_seen_at }) => [...who, label, relativeTime(last_seen_at, now)]);
  });
  return drawColumns(COLUMNS, rows, 100);
}
