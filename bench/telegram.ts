import { telegram } from "../test/chaos/telegram.js";
import { endAll } from "../test/support/at-end.js";
import { Daemon } from "../test/support/daemon.js";
import { until } from "../test/support/until.js";
import { percentile } from "./measure.js";
import { besidePrevious, type Figure, keep } from "./previous.js";
import type { BenchOptions } from "./run.js";

const RESULTS = new URL("./results-telegram.json", import.meta.url);

/** Time from a short direct message to the echo agent's answer, with the real daemon and the Telegram emulator. */
export async function bench({ quick, write }: BenchOptions): Promise<void> {
  const platform = await telegram();
  try {
    const yaml = `allow_all: true\nstreaming: {enabled: false}\nplatforms:\n  ${platform.config}\n`;
    const daemon = await new Daemon({ yaml }).start();
    const [chat] = platform.places;
    const times: number[] = [];
    for (let n = 0; n < (quick ? 5 : 50); n += 1) {
      const startMs = performance.now();
      chat!.say(0, `message ${n}.`);
      const isAnswered = () => chat!.seen().some(({ text }) => text.includes(`message ${n}.`));
      await until(`an answer to message ${n}`, isAnswered);
      times.push(performance.now() - startMs);
    }
    await daemon.stop();
    const figure = (p: number): Figure => ({
      what: `short message to answer, p${p}`,
      value: percentile(times, p),
      unit: "ms",
    });
    const figures = [{ ...figure(50), target: 100 }, figure(95)];
    console.log(besidePrevious(RESULTS, figures));
    if (write) keep(RESULTS, figures);
  } finally {
    await platform.close();
    await endAll();
  }
}
