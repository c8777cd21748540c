import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { tempDir } from "../support/temp.js";
import { inDm } from "../support/test-adapter.js";
import { until } from "../support/until.js";
import { ask, type Chats, overHttp, startChats } from "./support/chats.js";
import { SCRIPTED } from "./support/servers.js";

function homeWith(servers: string): string {
  const home = path.join(tempDir(), "home");
  fs.mkdirSync(home, { mode: 0o700 });
  fs.writeFileSync(path.join(home, "config.yaml"), `mcp_servers:\n${servers}`, { mode: 0o600 });
  return home;
}

const server = (name: string, more = "") =>
  `  ${name}: {command: ${process.execPath}, args: [${SCRIPTED}]${more}}\n`;

async function said({ adapter }: Chats, who: string, text: string): Promise<string> {
  const before = adapter.sent.length;
  await adapter.say(inDm(who), text);
  await until(`an answer to ${text}`, () => adapter.sent.length > before);
  return adapter.sent[before]!.text;
}

it("runs tools of a server in a turn, under both names, for those who may", async () => {
  const chats = await startChats(homeWith(server("one")));
  expect(await said(chats, "ann", "!tool mcp__one__write_it")).toContain("written");
  expect(await said(chats, "ann", "!tool mcp_one_write_it")).toContain("written");
  expect(await said(chats, "ann", "!tool mcp__one__die")).toContain("ended during the call");
  expect(await said(chats, "bob", "!tool mcp__one__read")).toContain("something");
  expect(await said(chats, "bob", "!tool mcp__one__write_it")).toContain("there is no tool");
});

it("asks before it runs a tool of an untrusted server", async () => {
  const chats = await startChats(homeWith(server("one", ", trust: untrusted")));
  expect(await said(chats, "ann", "!tool mcp__one__read")).toContain("something");
  expect(await said(chats, "ann", "!tool mcp__one__write_it")).toContain("mcp__one__write_it");
  const client = await overHttp(chats.running.url!, chats.token);
  const [approval] = await until("it waits", async () => {
    const { approvals } = await ask(client, "permissions_list_open");
    return approvals.length > 0 && approvals;
  });
  await ask(client, "permissions_respond", { id: approval!.id, decision: "deny" });
  await until("the agent learns it", () =>
    chats.adapter.sent.some(({ text }) => text.includes("was denied")),
  );
});

it("takes up changes of the configuration with /reload-mcp, for owners", async () => {
  const home = homeWith(server("one"));
  const chats = await startChats(home);
  expect(await said(chats, "bob", "/reload-mcp")).toBe("Only an owner can do that.");
  fs.writeFileSync(path.join(home, "config.yaml"), `mcp_servers:\n${server("two")}`);
  const reply = await said(chats, "ann", "/reload-mcp");
  expect(reply).toContain("`two`: ready, 10 tools");
  expect(reply).not.toContain("one");
  expect(chats.running.mcp.status()).toEqual([{ name: "two", state: "ready", tools: 10 }]);
  expect(await said(chats, "ann", "!tool mcp__two__read")).toContain("something");
});
