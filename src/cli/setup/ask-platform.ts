/** One platform: its secrets, which are tried at once, and who may talk to the bot there. */
import type { SecretGuide } from "../../adapters/platform.js";
import {
  type Access,
  currentAccess,
  currentValue,
  type Guided,
  idsIn,
  type PlatformAnswer,
} from "./answers.js";
import type { Ask } from "./asking.js";
import { type Current, draft } from "./draft.js";
import { tryPlatform } from "./trying.js";

export async function askPlatform(ask: Ask, current: Current, platform: Guided): Promise<PlatformAnswer> {
  const { name, label, setup } = platform;
  const { config } = current.loaded;
  const has = ({ key }: SecretGuide) => currentValue(config, name, key) !== null;
  const guides = setup.secrets.filter(({ byFlagOnly }) => !byFlagOnly);
  ask.note(setup.steps.map((step, i) => `${i + 1}. ${step}`).join("\n"), `${label}: a bot and its token`);
  let secrets: PlatformAnswer["secrets"] = {};
  for (let next: Next = "enter"; next !== "good" && next !== "keep"; ) {
    if (next === "out") return { enabled: false, secrets: {} };
    if (next === "enter") secrets = { ...secrets, ...(await askSecrets(ask, guides, has)) };
    next = await tryOut(ask, current, platform, { enabled: true, secrets });
  }
  return { enabled: true, secrets, access: await askAccess(ask, platform, currentAccess(config, name)) };
}

async function askSecrets(
  ask: Ask,
  guides: readonly SecretGuide[],
  has: (guide: SecretGuide) => boolean,
): Promise<PlatformAnswer["secrets"]> {
  const secrets: PlatformAnswer["secrets"] = {};
  for (const guide of guides) {
    const optional = has(guide);
    const check = (text: string) => {
      if (text === "") return optional ? undefined : "Paste it here, or press Esc to go back";
      return guide.shape.test(text) ? undefined : `This isn't one: it looks like ${guide.example}`;
    };
    const may = optional ? " (Enter: keep the current one)" : "";
    const given = await ask.secret(`${guide.name}${may}`, { check });
    if (given !== "") secrets[guide.key] = given;
  }
  return secrets;
}

type Next = "good" | "again" | "enter" | "keep" | "out";

async function tryOut(
  ask: Ask,
  current: Current,
  { name, label }: Guided,
  answer: PlatformAnswer,
): Promise<Next> {
  const { tried } = draft(current, { platforms: { [name]: answer } });
  const findings = await ask.work(`Asking ${label} about it`, () => tryPlatform(tried, name, current.home));
  ask.show(findings);
  const states = findings.map(({ state }) => state);
  if (!states.includes("fail")) return "good";
  return ask.choose<Next>(
    "What now?",
    [
      { value: "again", label: "Try again", hint: "after you have fixed it there" },
      { value: "enter", label: "Enter another token" },
      { value: "keep", label: "Continue anyway" },
      { value: "out", label: `Skip ${label}` },
    ],
    "again",
  );
}

async function askAccess(ask: Ask, { name, label, ids }: Guided, now: Access): Promise<Access> {
  const who = await ask.choose<Access["who"]>(
    `Who may talk to it on ${label}?`,
    [
      {
        value: "pair",
        label: "People I approve",
        hint: `a stranger gets a code, \`hermes pairing approve ${name} CODE\` lets them in`,
      },
      { value: "list", label: "Only these people", hint: "by their ids; all others are ignored" },
      { value: "everyone", label: "Everyone who finds it", hint: "they all use your model's key" },
    ],
    now.who,
  );
  if (who !== "list") return { who };
  const initial = now.who === "list" ? now.ids.join(", ") : "";
  const check = (text: string) => (idsIn(text).length === 0 ? "Name at least one" : undefined);
  const where = ids.user === undefined ? "" : ` (${ids.user})`;
  return { who, ids: idsIn(await ask.text(`Their ids, separated by commas${where}`, { initial, check })) };
}
