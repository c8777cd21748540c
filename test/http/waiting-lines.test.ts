import { expect, it } from "vitest";
import { WaitingLines } from "../../src/http/dashboard/log-stream.js";
import { leftAt } from "../support/left-at-signal.js";

const line = { at: 1, level: null, area: "gateway", text: "a line", fields: "", traceId: null };

it("waiting for lines leaves nothing behind at the stream's signal", async () => {
  const over = new AbortController();
  const lines = new WaitingLines();
  for (let i = 0; i < 50; i += 1) {
    const waits = lines.untilSome(over.signal);
    lines.add(line);
    await waits;
    expect(lines.take()).toEqual({ lines: [line], skipped: 0 });
  }
  expect(leftAt(over.signal)).toBe(0);
  const waits = lines.untilSome(over.signal);
  over.abort();
  await waits;
});
