import { expect, it } from "vitest";
import { FreshRun } from "../../../src/adapters/kit/fresh-run.js";
import { until } from "../../support/until.js";

function held() {
  const gates: { open(): void; fail(): void }[] = [];
  const work = () =>
    new Promise<void>((resolve, reject) => {
      gates.push({ open: resolve, fail: () => reject(new Error("no")) });
    });
  return { gates, work };
}

it("callers during a run share the next one", async () => {
  const { gates, work } = held();
  const fresh = new FreshRun(work);
  const first = fresh.run();
  const [second, third] = [fresh.run(), fresh.run()];
  expect(gates).toHaveLength(1);
  gates[0]!.open();
  await first;
  await until("the next run has begun", () => gates.length === 2);
  gates[1]!.open();
  await Promise.all([second, third]);
  expect(gates).toHaveLength(2);
});

it("continues after a failed run", async () => {
  const { gates, work } = held();
  const fresh = new FreshRun(work);
  const first = fresh.run();
  const second = fresh.run();
  gates[0]!.fail();
  await expect(first).rejects.toThrow("no");
  await until("the next run has begun", () => gates.length === 2);
  gates[1]!.open();
  await second;
});
