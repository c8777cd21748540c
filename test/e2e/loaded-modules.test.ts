import { expect, it, onTestFinished } from "vitest";
import { closeEmulated, EMULATED_NAMES, platformsSection, startEmulated } from "../emulators/all.js";
import { Daemon } from "../support/daemon.js";
import { loadedPackages } from "../support/loaded-packages.js";
import { tempDir } from "../support/temp.js";
import { until } from "../support/until.js";

/** A daemon loads what it was configured for: each SDK costs time at the start, and memory for good. */

/** Beginnings of names → the platforms that load such a package when they connect. */
const SDKS: Readonly<Record<string, readonly string[]>> = {
  grammy: ["telegram"],
  "@discordjs/": ["discord"],
  "discord-api-types": ["discord"],
  "discord.js": [],
  "@slack/": ["slack"],
  imapflow: ["email"],
  nodemailer: [],
  "postal-mime": [],
  baileys: [],
  "@modelcontextprotocol/": [],
  "@agentclientprotocol/": [],
  "@ai-sdk/": [],
  "ai/": [],
  "@opentelemetry/sdk": [],
  "@opentelemetry/exporter": [],
  "@clack/": [],
  "@mozilla/readability": [],
  linkedom: [],
  "pino-pretty": [],
};

async function loadedWith(names: readonly string[]): Promise<string[]> {
  const emulated = await startEmulated(names);
  onTestFinished(() => closeEmulated(emulated));
  const folder = tempDir();
  const daemon = new Daemon({ yaml: `allow_all: true\n${platformsSection(emulated)}` });
  await daemon.start({ NODE_V8_COVERAGE: folder });
  const isUp = async () => (await daemon.isReady()) && emulated.every((one) => one.isConnected());
  await until("it is connected", isUp, { timeoutMs: 60_000 });
  expect(await daemon.stop()).toBe(0);
  return loadedPackages(folder);
}

const sdksIn = (packages: readonly string[]) =>
  Object.keys(SDKS).filter((start) => packages.some((name) => `${name}/`.startsWith(start)));

it("without platforms no SDK is loaded", async () => {
  const packages = await loadedWith([]);
  // What is loaded is seen at all.
  expect(packages).toEqual(expect.arrayContaining(["commander", "hono", "pino", "yaml", "zod"]));
  expect(sdksIn(packages)).toEqual([]);
}, 120_000);

it.each(EMULATED_NAMES)(
  "with %s alone only its own SDKs are loaded",
  async (name) => {
    const own = Object.keys(SDKS).filter((start) => SDKS[start]!.includes(name));
    expect(sdksIn(await loadedWith([name]))).toEqual(own);
  },
  120_000,
);
