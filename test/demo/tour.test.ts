import { describe, expect, it } from "vitest";
import { type Step, Tour } from "../../scripts/tour/tour.js";
import { until } from "../support/until.js";

class Gate {
  resolve!: () => void;
  reject!: (error: Error) => void;
  readonly promise = new Promise<void>((resolve, reject) => Object.assign(this, { resolve, reject }));
}

function stepsOf(...titles: string[]) {
  const ran: string[] = [];
  const gates = titles.map(() => new Gate());
  const steps: Step[] = titles.map((title, i) => ({
    title,
    text: `${title}'s text`,
    run: async (told) => {
      ran.push(title);
      told(`${title} began`);
      await gates[i]!.promise;
    },
  }));
  return { steps, ran, gates };
}

describe("a tour", () => {
  it("plays all steps in order and is over then", async () => {
    const { steps, ran, gates } = stepsOf("a", "b", "c");
    const tour = new Tour(steps, 0);
    expect(tour.mode).toBe("paused");
    for (const gate of gates) gate.resolve();
    tour.play();
    await until("it is over", () => tour.mode === "over");
    expect(ran).toEqual(["a", "b", "c"]);
    expect(tour.steps.map(({ state, told }) => [state, ...told])).toEqual(
      ["a", "b", "c"].map((title) => ["done", `${title} began`]),
    );
  });

  it("pauses after the step that runs, and next runs one more", async () => {
    const { steps, ran, gates } = stepsOf("a", "b", "c");
    const tour = new Tour(steps, 0);
    tour.play();
    tour.pause();
    const running = tour.next();
    gates[0]!.resolve();
    await running;
    expect(ran).toEqual(["a"]);
    gates[1]!.resolve();
    await tour.next();
    expect(ran).toEqual(["a", "b"]);
    expect(tour.steps.map(({ state }) => state)).toEqual(["done", "done", "waiting"]);
    expect(tour.mode).toBe("paused");
  });

  it("shows why a step failed, and goes on", async () => {
    const { steps, gates } = stepsOf("a", "b");
    const tour = new Tour(steps, 0);
    gates[0]!.reject(new Error("no answer came"));
    gates[1]!.resolve();
    tour.play();
    await until("it is over", () => tour.mode === "over");
    expect(tour.steps.map(({ state, told }) => [state, told.at(-1)])).toEqual([
      ["failed", "no answer came"],
      ["done", "b began"],
    ]);
  });
});
