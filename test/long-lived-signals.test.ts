import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Reactions } from "../src/pipeline/reactions.js";
import type { Turn } from "../src/pipeline/turn.js";
import { leftAt } from "./support/left-at-signal.js";
import { until } from "./support/until.js";

/** On Node 20 each call leaves memory behind at its signals. These use signals of one call, turn or connection. */
const SHORT_LIVED = [
  "adapters/kit/check-address.ts",
  "adapters/slack/responses.ts",
  "adapters/slack/socket.ts",
  "adapters/slack/upload.ts",
  "adapters/telegram/probe.ts",
  "adapters/webhook/callback.ts",
  "agents/acp/index.ts",
  "agents/auxiliary.ts",
  "agents/key-check.ts",
  "agents/model/watch.ts",
  "agents/service.ts",
  "media/incoming.ts",
  "pipeline/adapter-runner.ts",
  "pipeline/agent-questions.ts",
  "pipeline/connect.ts",
  "pipeline/preview.ts",
  "pipeline/tool-runner.ts",
  "tools/web/fetch-page.ts",
  "tools/web/search.ts",
];

it("AbortSignal.any is only used with signals that don't outlive it by much", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  const using = files.filter((file) => readFileSync(join("src", file), "utf8").includes("AbortSignal.any("));
  expect(using.sort()).toEqual(SHORT_LIVED);
});

it("reactions leave nothing behind at the gateway's signal", async () => {
  const stopping = new AbortController();
  const shown: string[] = [];
  const reactions = new Reactions({
    config: { display: { reactions: true, platforms: {} } },
    log: { debug: () => {} },
    stopping: stopping.signal,
  } as never);
  const adapter = { react: async (_: unknown, state: string) => void shown.push(state) };
  const message = { task: null, request: null, platform: "test" };
  for (let id = 0; id < 20; id += 1)
    reactions.show(
      { adapter, target: { replyTo: "1" }, first: { message }, id: String(id) } as unknown as Turn,
      "done",
    );
  await until("all are shown", () => shown.length === 20);
  await until("nothing is left", () => leftAt(stopping.signal) === 0);
});
