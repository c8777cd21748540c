import { expect, it, onTestFinished } from "vitest";
import { builtIn } from "../../src/adapters/platforms.js";
import { closeEmulated, platformsSection, startEmulated } from "../emulators/all.js";
import { ANN, type Emulated } from "../emulators/emulated.js";
import { rows } from "../support/agreement.js";
import { Daemon } from "../support/daemon.js";
import { until } from "../support/until.js";

/** Every platform in one real daemon: what Ann writes on each, and what she sees there. */

const PATIENCE = { timeoutMs: 60_000 };
const MARK = "may be a repeat";

async function startAll(): Promise<{ daemon: Daemon; emulated: Emulated[] }> {
  const emulated = await startEmulated();
  onTestFinished(() => closeEmulated(emulated));
  const yaml = `allow_all: true\nsession_reset: {mode: none}\n${platformsSection(emulated)}`;
  return { daemon: new Daemon({ yaml }), emulated };
}

async function connect(daemon: Daemon, emulated: readonly Emulated[], env = {}): Promise<void> {
  await daemon.start(env);
  for (const { gatewayAt } of emulated) gatewayAt?.(daemon.url);
  const isUp = async () => (await daemon.isReady()) && emulated.every((one) => one.isConnected());
  const missing = () => emulated.filter((one) => !one.isConnected()).map(({ name }) => name);
  await until("all platforms are connected", isUp, { ...PATIENCE, found: missing });
}

function sayOnEach(emulated: readonly Emulated[], word: string): void {
  for (const { name, say } of emulated) say(`${word}-${name}`);
}

/** What its service drops while no gateway listens. */
const mayLose = ({ name }: Emulated) => builtIn(name)!.promises!.inbound.loses === "some";
const answersOf = ({ lines }: Emulated) => lines().filter(({ from }) => from !== ANN);
const wordsIn = (text: string) => text.match(/\b(?:first|second|third)-\w+/g) ?? [];
/** Each word once, in the order in which it came first; a marked repeat is left out where the platform promises no more. */
function seenOn(one: Emulated): string[] {
  const mayRepeat = builtIn(one.name)!.promises!.outbound.repeats === "marked";
  const said = answersOf(one).map(({ text }) => ({ isRepeat: text.includes(MARK), words: wordsIn(text) }));
  return said.flatMap(({ isRepeat, words }, i) => {
    const earlier = said.slice(0, i).flatMap((before) => before.words);
    return words.filter((word) => !(mayRepeat && isRepeat && earlier.includes(word)));
  });
}

async function untilAnswered(daemon: Daemon, emulated: readonly Emulated[], word: string): Promise<void> {
  const waiting = () =>
    emulated.filter((one) => !seenOn(one).includes(`${word}-${one.name}`)).map(({ name }) => name);
  const isAnswered = () => waiting().length === 0;
  await until(`'${word}' is answered everywhere`, isAnswered, { ...PATIENCE, found: waiting });
  const open = () =>
    rows(daemon.home, "SELECT * FROM gw_outbox WHERE state IN ('pending', 'sending', 'unknown')");
  await until("nothing is under way", () => open().length === 0, { ...PATIENCE, found: open });
}

it("answers on each platform, there alone, and once, though it is killed in turns and in sends", async () => {
  const { daemon, emulated } = await startAll();
  await connect(daemon, emulated);
  sayOnEach(emulated, "first");
  await untilAnswered(daemon, emulated, "first");
  await daemon.kill();

  await connect(daemon, emulated, { HERMES_KILL_AT: "turn-committed:2" });
  sayOnEach(emulated, "second");
  expect(await daemon.run.ended).toMatchObject({ signal: "SIGKILL" });
  daemon.launch({ HERMES_KILL_AT: "sent:2" });
  expect(await daemon.run.ended).toMatchObject({ signal: "SIGKILL" });

  await connect(daemon, emulated);
  await untilAnswered(
    daemon,
    emulated.filter((one) => !mayLose(one)),
    "second",
  );
  sayOnEach(emulated, "third");
  await untilAnswered(daemon, emulated, "third");
  for (const one of emulated) {
    const seen = seenOn(one);
    const isLost = mayLose(one) && !seen.includes(`second-${one.name}`);
    const words = isLost ? ["first", "third"] : ["first", "second", "third"];
    expect(seen).toEqual(words.map((word) => `${word}-${one.name}`));
  }
  expect(await daemon.stop()).toBe(0);
}, 240_000);
