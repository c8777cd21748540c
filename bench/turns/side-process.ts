import path from "node:path";
import { pathToFileURL } from "node:url";
import { timed } from "../measure.js";
import { perSecondAtOnce } from "./at-once.js";

/** `side-process <folder>`: the turns of the gateway in that checkout, measured on request. */
const [folder] = process.argv.slice(2) as [string];
const loops = pathToFileURL(path.join(folder, "bench/turns/loops.ts")).href;
const { gatewayLoop } = (await import(loops)) as typeof import("./loops.js");

export interface Asked {
  sessions: number;
  /** One after another. */
  probes: number;
  /** At once, as many as there are sessions, up to 256. */
  messages: number;
}

export interface Measured {
  times: number[];
  perSecond: number;
}

const loop = await gatewayLoop();
let first = 0;

async function measure({ sessions, probes, messages }: Asked): Promise<Measured> {
  const times: number[] = [];
  for (let i = 0; i < probes; i += 1) times.push(await timed(() => loop.say(first + (i % sessions))));
  return { times, perSecond: await perSecondAtOnce(loop, { first, sessions, messages }) };
}

process.on("message", (asked: Asked | "stop" | "next") => {
  // Sessions of their own for the next comparison.
  if (asked === "next") first += 100_000;
  else if (asked === "stop") void loop.close().then(() => process.exit());
  else void measure(asked).then((measured) => process.send!(measured));
});
process.once("disconnect", () => process.exit());
process.send!("ready");
