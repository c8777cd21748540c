import fs from "node:fs";
import { expect, it } from "vitest";
import { runHermes } from "../cli/support/run.js";
import { Daemon } from "../support/daemon.js";
import { makeEndless } from "../support/endless-read.js";
import { WebClient } from "../support/web-client.js";

it("a gateway with an endless read keeps answering and stops on SIGTERM", async () => {
  const daemon = await new Daemon().start();
  makeEndless(daemon.file("state.db"), "gw_pairing");
  const token = fs.readFileSync(daemon.file("dashboard.token"), "utf8").trim();
  const headers = { Authorization: `Bearer ${token}` };
  const page = expect(fetch(`${daemon.url}/api/dashboard/pairing`, { headers })).rejects.toThrow();
  const client = new WebClient(daemon.url);
  await client.send("are you there?");
  expect(await client.told("answer")).toEqual(["are you there?"]);

  expect(await daemon.kill("SIGTERM")).toEqual({ code: null, signal: "SIGTERM" });
  await page;
  // It said goodbye: everything is closed that can be.
  expect((await runHermes(daemon.home, ["gateway", "status"])).stdout).toMatch(
    /^No gateway is running on .*\.\n$/,
  );
});
