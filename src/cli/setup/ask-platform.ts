/** One platform: its tokens, tried at once, and who may talk to the bot there. */
import { type Access, currentAccess, idsIn, type PlatformAnswer, type PlatformName } from "./answers.js";
import { type Current, draft } from "./draft.js";
import { GUIDES, type SecretGuide } from "./guides.js";
import { askSecret, askText, busy, choose, note, show } from "./prompts.js";
import { tryPlatform } from "./trying.js";

export async function askPlatform(current: Current, name: PlatformName): Promise<PlatformAnswer> {
  const { title, steps, secrets: guides } = GUIDES[name];
  const { config } = current.loaded;
  const has = (guide: SecretGuide) => (config.platforms[name] as Record<string, unknown>)[guide.key] != null;
  note(steps.map((step, i) => `${i + 1}. ${step}`).join("\n"), `${title}: a bot and its token`);
  let secrets: PlatformAnswer["secrets"] = {};
  for (let next: Next = "enter"; next !== "good" && next !== "keep"; ) {
    if (next === "out") return { enabled: false, secrets: {} };
    if (next === "enter") secrets = { ...secrets, ...(await askSecrets(guides, has)) };
    next = await tryOut(current, name, { enabled: true, secrets });
  }
  return { enabled: true, secrets, access: await askAccess(name, currentAccess(config, name)) };
}

async function askSecrets(
  guides: readonly SecretGuide[],
  has: (guide: SecretGuide) => boolean,
): Promise<PlatformAnswer["secrets"]> {
  const secrets: PlatformAnswer["secrets"] = {};
  for (const guide of guides) {
    const optional = has(guide);
    const check = (text: string) => {
      if (text === "") return optional ? undefined : "It is needed";
      return guide.shape.test(text) ? undefined : `It looks like ${guide.example}`;
    };
    const given = await askSecret(`${guide.name}${optional ? " (empty: keep the present one)" : ""}`, check);
    if (given !== "") secrets[guide.key] = given;
  }
  return secrets;
}

type Next = "good" | "again" | "enter" | "keep" | "out";

async function tryOut(current: Current, name: PlatformName, answer: PlatformAnswer): Promise<Next> {
  const { title } = GUIDES[name];
  const { tried } = draft(current, { platforms: { [name]: answer } });
  const findings = await busy(`Asking ${title} about it`, () => tryPlatform(tried, name));
  show(findings);
  const states = findings.map(({ state }) => state);
  if (!states.includes("fail")) return "good";
  return choose<Next>(
    "What now?",
    [
      { value: "again", label: "Look again", hint: "I have mended it there" },
      { value: "enter", label: "Enter another token" },
      { value: "keep", label: "Go on all the same" },
      { value: "out", label: `Leave ${title} out` },
    ],
    "again",
  );
}

async function askAccess(name: PlatformName, now: Access): Promise<Access> {
  const { title, ids } = GUIDES[name];
  const who = await choose<Access["who"]>(
    `Who may talk to it on ${title}?`,
    [
      {
        value: "pair",
        label: "Whoever I approve",
        hint: `a stranger gets a code, \`hermes pairing approve ${name} CODE\` lets them in`,
      },
      { value: "list", label: "Only these people", hint: "by their ids; all others are ignored" },
      { value: "everyone", label: "Everybody who finds it", hint: "they all use your model's key" },
    ],
    now.who,
  );
  if (who !== "list") return { who };
  const initial = now.who === "list" ? now.ids.join(", ") : "";
  const check = (text: string) => (idsIn(text).length === 0 ? "Name at least one" : undefined);
  return { who, ids: idsIn(await askText(`Their ids, with commas (${ids})`, { initial, check })) };
}
