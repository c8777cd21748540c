/** Chats in which unfinished answers are messages, and a daemon that shows them there. */
import { onTestFinished } from "vitest";
import { ModelServer } from "../../emulators/model-server.js";
import { Daemon } from "../../support/daemon.js";
import {
  allConnected,
  type PlatformName,
  type Platforms,
  platformsYaml,
  startPlatforms,
} from "../../support/platforms.js";

export const HALF = "An answer that is long enough to be shown, but";
export const WHOLE = "The whole answer, at last.";

function chatsOf({ telegram, discord, slack }: Platforms) {
  const ann = telegram.users.person("Ann");
  const group = telegram.chats.make("supergroup", { title: "Friends" });
  const bob = discord.user("Bob");
  const dm = discord.dm(bob);
  return {
    telegram: {
      say: (text: string) => void telegram.users.write(group, { from: ann, text }),
      seen: () => telegram.said(group.id).map(({ text }) => text),
      cut: () => telegram.faults.dropAfter("sendMessage"),
      refuseEdits: () =>
        telegram.faults.fail("editMessageText", 400, "Bad Request: message can't be edited", 9),
      calls: () => named(telegram.calls.map(({ method }) => method)),
    },
    discord: {
      say: (text: string) => void discord.say(bob, dm, text),
      seen: () => discord.said(dm).map(({ text }) => text),
      cut: () => discord.faults.arm("POST", /\/messages$/, { kind: "drop_after" }),
      refuseEdits: () =>
        discord.faults.arm("PATCH", /\/messages\//, { kind: "answer", status: 500, body: {} }, 9),
      calls: () =>
        named(discord.rest.calls.map(({ method, path }) => `${method} ${path.replace(/\d+/g, "#")}`)),
    },
    slack: {
      say: (text: string) => void slack.say({ channel: "D1", user: "U1", text }),
      seen: () => slack.workspace.seen("D1").map(({ text }) => text),
      cut: () => slack.faults.next("chat.postMessage", { kind: "cut_after" }),
      refuseEdits: () => slack.faults.next("chat.update", { kind: "error", error: "edit_window_closed" }, 9),
      calls: () => named(slack.calls.map(({ method }) => method)),
    },
  };
}

const NAMES: Record<string, "post" | "edit" | "delete"> = {
  sendMessage: "post",
  editMessageText: "edit",
  deleteMessage: "delete",
  "POST /channels/#/messages": "post",
  "PATCH /channels/#/messages/#": "edit",
  "DELETE /channels/#/messages/#": "delete",
  "chat.postMessage": "post",
  "chat.update": "edit",
  "chat.delete": "delete",
};

/** What was done to messages, in order. */
function named(calls: readonly string[]): ("post" | "edit" | "delete")[] {
  return calls.flatMap((call) => NAMES[call] ?? []);
}

/** `only`: the platforms that the daemon connects to. All by default. */
export async function scene(top = "", only?: readonly PlatformName[]) {
  const platforms = await startPlatforms();
  const yaml = platformsYaml(platforms, { top, ...(only ? { only } : {}) });
  return {
    ...platforms,
    chats: chatsOf(platforms),
    daemon: new Daemon({ yaml: yaml.replace("streaming: {enabled: false}", "") }),
    connected: () => allConnected(platforms, only),
  };
}

/** With a scripted model. */
export async function modelScene(top = "", only?: readonly PlatformName[]) {
  const model = await ModelServer.start();
  // Titles have a server of their own: they would take the next scripted answer.
  const titles = await ModelServer.start();
  onTestFinished(() => Promise.all([model.close(), titles.close()]).then(() => undefined));
  const provider = `model: {provider: openai-compatible, default: m, base_url: "${model.url}"}`;
  const auxiliary = `auxiliary: {title_generation: {provider: openai-compatible, model: t, base_url: "${titles.url}"}}`;
  return { model, ...(await scene(`${provider}\n${auxiliary}\n${top}`, only)) };
}
