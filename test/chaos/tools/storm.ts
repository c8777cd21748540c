/** A storm in which the agent is a model that calls tools, and their effects are counted outside of the gateway. */
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Random, times } from "../../../bench/random.js";
import { inspect } from "../../support/old-schemas.js";
import { type PlannedMessage, POINTS } from "../plan.js";
import { type Cast, type StormOptions, storm } from "../storm.js";
import type { Outcome } from "../table.js";
import { judge } from "../verdict.js";
import { Counter } from "./counter.js";
import { orderedModel } from "./model.js";
import { countingServers, MCP_TOOLS } from "./servers.js";
import { type Call, isOnce, judgeTools, type Made, type ToolEvidence, type ToolVerdict } from "./verdict.js";

const PROGRAM = fileURLToPath(new URL("../../support/counting-tools.mjs", import.meta.url));
const MAX_LAG_MS = 30;
const MAX_ROUNDS = 3;
const MAX_CALLS = 3;

export interface ToolOutcome extends Outcome {
  tools: ToolVerdict;
}

export async function toolStorm(options: Omit<StormOptions, "cast">): Promise<ToolOutcome> {
  const { seed, rounds } = options;
  const random = new Random(seed + 2);
  const counter = await Counter.start(() => random.between(0, MAX_LAG_MS));
  const servers = await countingServers(counter.url);
  const { server, asked } = await orderedModel();
  const planned: Call[] = [];
  const write = (number: number, { kind, slowMs }: PlannedMessage) => {
    const token = `m${number}x0`;
    const plan = kind === "long" ? [] : planOf(random);
    planned.push(...plan.flat().map((tool, call) => ({ token, tool, call })));
    const waitMs = kind === "plain" ? 0 : slowMs;
    const text = `${token} [${plan.map((round) => round.join("+")).join(" ")}] wait ${waitMs}`;
    return { text, tokens: [token] };
  };
  const cast: Cast = {
    yaml: `
model: {provider: openai-compatible, default: scripted, base_url: "${server.url}", api_key: none}
display: {busy_input_mode: steer}
compression: {enabled: false}
${servers.yaml}`,
    program: [PROGRAM],
    env: { COUNT_URL: counter.url },
    // Each of these more often than the others.
    points: [...POINTS, ...times(3, () => TOOL_POINTS).flat()],
    roundsADeath: 1,
    steers: true,
    write,
  };
  try {
    const evidence = await storm({ ...options, cast });
    const { effects } = counter;
    const found: ToolEvidence = { planned, made: madeIn(evidence.home), effects, asked };
    return { seed, rounds, evidence, verdict: judge(evidence), tools: judgeTools(found) };
  } finally {
    await server.close();
    await servers.close();
    await counter.close();
  }
}

const TOOL_POINTS = ["calls-recorded", "tool-ran", "result-recorded", "steering-recorded"] as const;

/** Built in and of MCP servers; those that can't be repeated more often. */
const TOOLS = ["note", "post", "post", ...MCP_TOOLS, ...MCP_TOOLS.filter(isOnce)];

function planOf(random: Random): string[][] {
  return times(random.between(1, MAX_ROUNDS), () =>
    times(random.between(1, MAX_CALLS), () => random.pick(TOOLS)),
  );
}

function madeIn(home: string): Made[] {
  const query = "SELECT id AS key, tool, state, arguments, result FROM gw_tool_calls ORDER BY seq";
  const rows = inspect(
    path.join(home, "state.db"),
    (db) => db.prepare(query).all() as (Omit<Made, "token" | "call"> & { arguments: string })[],
  );
  return rows.map(({ arguments: json, ...row }) => ({
    ...row,
    ...(JSON.parse(json) as Pick<Made, "token" | "call">),
  }));
}
