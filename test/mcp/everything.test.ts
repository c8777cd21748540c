import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { homeMark } from "../../src/mcp/environment.js";
import { passedOn } from "../support/passed-on.js";
import { until } from "../support/until.js";
import { EVERYTHING, processesOf, type Rig, rig } from "./support/servers.js";

/** The reference server, which has a bit of everything. */
const stdio = { command: process.execPath, args: [EVERYTHING, "stdio"] };

async function checkAll({ names, call }: Rig): Promise<void> {
  expect(await names()).toEqual(
    expect.arrayContaining(
      ["echo", "get_sum", "get_tiny_image", "read_resource"].map((name) => `mcp__all__${name}`),
    ),
  );
  expect(await call("echo", { message: "hello" })).toBe("Echo: hello");
  expect(await call("get_sum", { a: 2, b: 3 })).toContain("5");
  expect(await call("get_tiny_image")).toContain("[an image, image/png, ");
  const { resources } = JSON.parse(await call("list_resources")) as { resources: { uri: string }[] };
  expect((await call("read_resource", { uri: resources[0]!.uri })).length).toBeGreaterThan(100);
  expect(await call("list_prompts")).toContain("args-prompt");
  expect(await call("get_prompt", { name: "args-prompt", arguments: { city: "Ulm" } })).toContain("Ulm");
  await expect(call("get_prompt", { name: "nothing" })).rejects.toThrow();
}

it("uses all of the reference server over stdio, and survives its death in a call", async () => {
  const found = rig({ all: stdio });
  found.mcp.start();
  await checkAll(found);
  const long = found.call("trigger_long_running_operation", { duration: 30, steps: 3 });
  const [pid] = processesOf(homeMark(found.home));
  process.kill(pid!, "SIGKILL");
  await expect(long).rejects.toThrow("ended during the call");
  expect(await found.call("echo", { message: "back" })).toBe("Echo: back");
  await found.mcp.stop();
  await until("no process is left", () => processesOf(homeMark(found.home)).length === 0);
});

it("uses all of the reference server over HTTP, and survives its restart", async () => {
  const port = await freePort();
  const first = await httpServer(port);
  const found = rig({ all: { url: `http://127.0.0.1:${port}/mcp`, timeout: 20 } });
  found.mcp.start();
  await checkAll(found);
  const long = found.call("trigger_long_running_operation", { duration: 30, steps: 3 });
  const outcome = long.then(
    () => "done",
    () => "failed",
  );
  first.kill("SIGKILL");
  await once(first, "exit");
  await httpServer(port);
  // It doesn't know the session any more: the client starts a new one.
  expect(await found.call("echo", { message: "back" })).toBe("Echo: back");
  await found.mcp.stop();
  expect(await outcome).toBe("failed");
});

async function httpServer(port: number): Promise<ChildProcess> {
  const env = { ...passedOn(), PORT: String(port) };
  const child = spawn(process.execPath, [EVERYTHING, "streamableHttp"], { env, stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  await until("it listens", () =>
    fetch(`http://127.0.0.1:${port}/mcp`).then(
      () => true,
      () => false,
    ),
  );
  return child;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
