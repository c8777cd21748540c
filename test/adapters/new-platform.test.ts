import { execFile } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** A new built-in platform is a folder, one line in the list, and a page: everything else follows. */

const ROOT = path.resolve(import.meta.dirname, "../..");
const run = promisify(execFile);

const PLATFORM = `
import { z } from "zod";
import { definePlatform } from "../platform.js";
import { botSettings, botToken, orNull, sample, text } from "../settings.js";

export const carrier = definePlatform({
  name: "carrier",
  label: "Carrier",
  summary: "Carrier; CARRIER_BOT_TOKEN and CARRIER_LOFT",
  settings: botSettings({
    credentials: ["token", "loft"],
    account: { token: text, loft: text },
    keys: {
      token: botToken,
      loft: sample(orNull(text).describe("Where the birds live"), "loft-1"),
      speed: z.int().default(50).describe("Kilometres an hour"),
    },
  }),
  env: { CARRIER_LOFT: "loft" },
  ids: { chat: /^loft-\\d+$/, example: "loft-1" },
  unsolicited: true,
  capabilities: ["files"],
  setup: {
    steps: ["Feed the birds"],
    secrets: [
      {
        key: "token",
        name: "Ring number",
        variable: "CARRIER_BOT_TOKEN",
        shape: /^ring-/,
        example: "ring-1",
        help: "the number on the ring",
      },
      { key: "loft", name: "Loft", variable: "CARRIER_LOFT", shape: /^loft/, example: "loft-1", help: "the loft" },
    ],
  },
  docs: {
    page: "docs/platforms/carrier.md",
    secrets: "\`CARRIER_BOT_TOKEN\`",
    receives: "through the window",
  },
  promises: {
    inbound: { loses: "some", how: "fly on" },
    outbound: { repeats: "marked", how: "is sent again" },
  },
  probe: async ({ loft, speed }) => ({ findings: [{ state: "ok", message: \`flies from \${loft} at \${speed}\` }] }),
  load: async ({ loft }) => ({ adapter: (await import("./index.js")).carrierAdapter(loft!) }),
});
`;

const ADAPTER = `
import type { Adapter } from "../adapter.js";
import { singlePart } from "../kit/single-part.js";

export function carrierAdapter(account: string): Adapter {
  return {
    platform: "carrier",
    account,
    limits: { length: 100, unit: "codepoint" },
    files: { maxBytes: 10 },
    connect: async () => undefined,
    disconnect: async () => undefined,
    health: () => ({ state: "ok", lastProofAt: 1 }),
    ...singlePart(async () => "1"),
  };
}
`;

const PAGE = `# Carrier

<!-- promises: written by \`npm run generate\` -->
<!-- /promises -->
`;

/** What the rest of the gateway knows of it, as JSON. */
const REPORT = `
import { isBuiltIn, isChatId, isReachable } from "./src/adapters/chat-ids.js";
import { chatPlatformNames } from "./src/adapters/platforms.js";
import { loadPlatforms } from "./src/adapters/registry.js";
import { checkPlatforms } from "./src/cli/doctor/network.js";
import { pairingCommand } from "./src/cli/pairing.js";
import { setupCommand } from "./src/cli/setup/index.js";
import { configJsonSchema } from "./src/config/json-schema.js";
import { platformsOf } from "./src/config/known-platforms.js";
import { loadConfig } from "./src/config/load.js";
import { generatedFiles } from "./scripts/generate/files.js";

const home = "/nonexistent";
const env = { CARRIER_BOT_TOKEN: "ring-7", CARRIER_LOFT: "loft-2", CARRIER_ALLOWED_USERS: "ann" };
const { config } = loadConfig({ home, env });
const faultOf = (flags: Record<string, unknown>) => {
  try {
    loadConfig({ home, env: {}, flags });
    return null;
  } catch (error) {
    return (error as Error).message;
  }
};
const loaded = await loadPlatforms(platformsOf(config).filter(({ name }) => name === "carrier"), {
  sections: config.platforms,
  config,
} as never);
process.stdout.write(
  JSON.stringify({
    section: config.platforms.carrier,
    typo: faultOf({ "platforms.carrier.lofft": "x" }),
    missing: faultOf({ "platforms.carrier.enabled": true }),
    adapters: loaded.adapters.map(({ platform, account }) => platform + ":" + account),
    checks: await checkPlatforms(config, false),
    chatIds: [isBuiltIn("carrier"), isReachable("carrier"), isChatId("carrier", "loft-1"), isChatId("carrier", "1")],
    names: chatPlatformNames(),
    setup: setupCommand().helpInformation(),
    pairing: pairingCommand().commands.find((one) => one.name() === "approve")!.helpInformation(),
    schema: JSON.stringify(configJsonSchema()).includes("Where the birds live"),
    files: Object.fromEntries((await generatedFiles()).map(({ name, text }) => [name, text])),
  }),
);
`;

interface Report {
  section: Record<string, unknown>;
  typo: string;
  missing: string;
  adapters: string[];
  checks: object[];
  chatIds: boolean[];
  names: string;
  setup: string;
  pairing: string;
  schema: boolean;
  files: Record<string, string>;
}

describe("a new built-in platform", () => {
  const tree = fs.mkdtempSync(path.join(os.tmpdir(), "hermes-tree-"));
  afterAll(() => fs.rmSync(tree, { recursive: true, force: true }));
  let report: Report;

  beforeAll(async () => {
    for (const name of ["src", "scripts", "config", "docs", "README.md", "package.json", "tsconfig.json"])
      fs.cpSync(path.join(ROOT, name), path.join(tree, name), { recursive: true });
    fs.symlinkSync(path.join(ROOT, "node_modules"), path.join(tree, "node_modules"), "dir");
    const folder = path.join(tree, "src/adapters/carrier");
    fs.mkdirSync(folder);
    fs.writeFileSync(path.join(folder, "platform.ts"), PLATFORM);
    fs.writeFileSync(path.join(folder, "index.ts"), ADAPTER);
    fs.appendFileSync(
      path.join(tree, "src/adapters/built-in.ts"),
      'export { carrier } from "./carrier/platform.js";\n',
    );
    fs.writeFileSync(path.join(tree, "docs/platforms/carrier.md"), PAGE);
    fs.writeFileSync(path.join(tree, "report.ts"), REPORT);
    const { stdout } = await run(process.execPath, ["--import", "tsx", "report.ts"], {
      cwd: tree,
      env: { ...process.env, NO_COLOR: "1" },
      maxBuffer: 64 * 1024 * 1024,
    });
    report = JSON.parse(stdout) as Report;
  }, 120_000);

  it("type-checks", async () => {
    const tsc = path.join(ROOT, "node_modules/.bin/tsc");
    const sources = ["src/adapters/carrier/platform.ts", "src/config/load.ts", "src/rules.ts"];
    const config = { extends: "./tsconfig.json", include: sources };
    fs.writeFileSync(path.join(tree, "tsconfig.check.json"), JSON.stringify(config));
    const { stdout } = await run(tsc, ["--noEmit", "-p", "tsconfig.check.json"], { cwd: tree }).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toBe("");
  }, 120_000);

  it("is configured by its own and the common keys and variables, and on once it has its credentials", () => {
    expect(report.section).toMatchObject({
      enabled: true,
      token: "ring-7",
      loft: "loft-2",
      speed: 50,
      allow_from: ["ann"],
      require_mention: false,
    });
    expect(report.typo).toContain("platforms.carrier.lofft: is not a known key (did you mean `loft`?)");
    expect(report.missing).toContain("loft: is missing, but carrier is enabled (set it, or CARRIER_LOFT)");
  });

  it("is loaded, and probed by the doctor", () => {
    expect(report.adapters).toEqual(["carrier:loft-2"]);
    expect(report.checks).toEqual([{ check: "carrier", state: "ok", message: "flies from loft-2 at 50" }]);
  });

  it("has its chat ids and help texts", () => {
    expect(report.chatIds).toEqual([true, true, true, false]);
    expect(report.names).toContain("carrier");
    expect(report.pairing).toContain("carrier");
    expect(report.setup).toContain("--carrier-token <token>");
    expect(report.setup).toContain("--carrier-loft <loft>");
  });

  it("is in the JSON schema, the example configuration, the README and its own page", () => {
    expect(report.schema).toBe(true);
    expect(report.files["config/config.example.yaml"]).toContain(`# token: \${CARRIER_BOT_TOKEN}`);
    expect(report.files["config/config.example.yaml"]).toContain("# home_channel: loft-1");
    expect(report.files["README.md"]).toContain("| [Carrier](docs/platforms/carrier.md) |");
    expect(report.files["docs/platforms/carrier.md"]).toContain("fly on. **Some can be lost.**");
  });
});
