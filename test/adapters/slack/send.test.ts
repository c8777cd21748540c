import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SendError } from "../../../src/errors.js";
import type { OutboundMessage } from "../../../src/message.js";
import { visibleText } from "../../emulators/slack/index.js";
import { forgetParts, lookUp, send } from "../../support/send.js";
import { deadline, outbound, type Setup, setup } from "./support.js";

let b: Setup;
beforeEach(async () => {
  b = await setup({ adapter: { timing: { callMs: 400 } } });
});
afterEach(() => b.close());

async function failure(message: OutboundMessage): Promise<SendError> {
  const error = await send(b.adapter, message, deadline()).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(SendError);
  return error as SendError;
}

const long = (words: number) => Array.from({ length: words }, (_, i) => `word${i}`).join(" ");

describe("sending to Slack", () => {
  it("posts to the thread in mrkdwn with a marker", async () => {
    const root = b.slack.say({ channel: "C1", user: "U1", text: "hi", silently: true });
    const message = outbound({ chatType: "group", chatId: "C1", threadId: root.ts }, "**Hi** <@U2> & all");
    const { messageIds } = await send(b.adapter, message, deadline());
    expect(b.slack.workspace.seen("C1", root.ts)).toMatchObject([
      {
        ts: messageIds[0],
        text: "*Hi* &lt;@U2&gt; &amp; all",
        metadata: { event_type: "hermes_reply", event_payload: { nonce: message.nonce, part: 0 } },
      },
    ]);
  });

  it("resumes after the parts that arrived, in another process too", async () => {
    const message = outbound({}, long(5000));
    b.slack.faults.next("chat.postMessage", { kind: "delay", ms: 0 });
    b.slack.faults.next("chat.postMessage", { kind: "error", error: "ratelimited" });
    expect((await failure(message)).outcome).toBe("never_sent");
    expect(b.slack.workspace.seen("D1")).toHaveLength(1);
    const other = await setup({ slack: b.slack });
    await send(other.adapter, message, deadline());
    await other.close();
    expect([...b.slack.workspace.markers().values()]).toEqual([1, 1, 1, 1]);
  });

  it("finds all parts that an older version posted without storing them", async () => {
    const message = outbound({}, long(5000));
    b.slack.faults.next("chat.postMessage", { kind: "delay", ms: 0 });
    b.slack.faults.next("chat.postMessage", { kind: "cut_after" });
    expect((await failure(message)).outcome).toBe("unknown");
    forgetParts(message);
    await send(b.adapter, { ...message, mayBeRepeat: true }, deadline());
    expect([...b.slack.workspace.markers().values()]).toEqual([1, 1, 1, 1]);
  });

  it("edits the preview into the first part", async () => {
    const shown = await b.adapter.show(outbound({}, "").target, null, "Let me", deadline());
    const message = outbound({}, "Let me see", { replaces: shown! });
    expect((await send(b.adapter, message, deadline())).messageIds).toEqual([shown]);
    expect(b.slack.workspace.seen("D1")).toMatchObject([
      {
        ts: shown,
        text: "Let me see",
        edits: 1,
        metadata: { event_payload: { nonce: message.nonce, part: 0 } },
      },
    ]);
  });

  it("edits a long answer into blocks", async () => {
    const shown = await b.adapter.show(outbound({}, "").target, null, "…", deadline());
    await send(b.adapter, outbound({}, long(1000), { replaces: shown! }), deadline());
    const [message] = b.slack.workspace.seen("D1");
    expect(message!.blocks!.length).toBeGreaterThan(1);
    expect(visibleText(message!).replaceAll("\n", " ")).toBe(long(1000));
  });

  it("posts a new message when the preview is gone", async () => {
    const shown = await b.adapter.show(outbound({}, "").target, null, "…", deadline());
    b.slack.workspace.find("D1", shown!).deleted = true;
    await send(b.adapter, outbound({}, "here", { replaces: shown! }), deadline());
    expect(b.slack.workspace.texts("D1")).toEqual(["here"]);
  });
});

describe("Slack send with an unknown outcome", () => {
  it("is missing if it never arrived, and can be repeated", async () => {
    const root = b.slack.say({ channel: "C1", user: "U1", text: "hi", silently: true });
    const message = outbound({ chatId: "C1", threadId: root.ts, replyTo: root.ts }, "once");
    b.slack.faults.next("chat.postMessage", { kind: "cut_before" });
    expect((await failure(message)).outcome).toBe("unknown");
    expect(await lookUp(b.adapter, message, deadline())).toBe("missing");
    await send(b.adapter, { ...message, mayBeRepeat: true }, deadline());
    expect(b.slack.workspace.texts("C1", root.ts)).toEqual(["once"]);
  });

  it("is found by its marker in another process", async () => {
    const message = outbound({}, "once");
    b.slack.faults.next("chat.postMessage", { kind: "delay", ms: 600 });
    expect((await failure(message)).outcome).toBe("unknown");
    await b.slack.until(() => b.slack.workspace.seen("D1").length === 1);
    const other = await setup({ slack: b.slack });
    await send(other.adapter, { ...message, mayBeRepeat: true }, deadline());
    await other.close();
    expect(b.slack.workspace.texts("D1")).toEqual(["once"]);
  });

  it("ignores the marker on another user's post", async () => {
    const message = outbound({}, "once");
    b.slack.workspace.add({
      channel: "D1",
      user: "U1",
      text: "gotcha",
      metadata: { event_type: "hermes_reply", event_payload: { nonce: message.nonce, part: 0 } },
    });
    expect(await lookUp(b.adapter, message, deadline())).toBe("missing");
  });

  it("stays unknown if the history can't be read", async () => {
    for (const scope of [...b.slack.scopes]) if (scope.endsWith(":history")) b.slack.scopes.delete(scope);
    expect(await lookUp(b.adapter, outbound({}, "once"), deadline())).toBe("unknown");
  });

  it("counts as never sent for an edit", async () => {
    const shown = await b.adapter.show(outbound({}, "").target, null, "…", deadline());
    const message = outbound({}, "done", { replaces: shown! });
    b.slack.faults.next("chat.update", { kind: "cut_after" });
    expect((await failure(message)).outcome).toBe("never_sent");
    await send(b.adapter, message, deadline());
    expect(b.slack.workspace.texts("D1")).toEqual(["done"]);
  });
});

describe("failed Slack send", () => {
  const refusals = [
    "channel_not_found",
    "not_in_channel",
    "is_archived",
    "msg_too_long",
    "restricted_action",
  ];
  it.each(refusals)("is refused for %s", async (error) => {
    b.slack.faults.next("chat.postMessage", { kind: "error", error });
    const { outcome, message, scope } = await failure(outbound({}, "x"));
    expect({ outcome, scope }).toEqual({ outcome: "refused", scope: "chat" });
    expect(message).not.toContain("xoxb");
  });

  it("explains how to enable direct messages", async () => {
    b.slack.faults.next("chat.postMessage", { kind: "error", error: "messages_tab_disabled" });
    expect(await failure(outbound({}, "x"))).toMatchObject({
      outcome: "refused",
      message: expect.stringContaining("App Home"),
    });
  });

  it.each(["invalid_auth", "token_revoked", "account_inactive", "team_added_to_org"])(
    "is retried every minute after %s",
    async (error) => {
      b.slack.faults.next("chat.postMessage", { kind: "error", error });
      const failed = await failure(outbound({}, "x"));
      expect(failed).toMatchObject({ outcome: "never_sent", scope: "account", retryAfterMs: 60_000 });
    },
  );

  it("names the missing scope", async () => {
    b.slack.scopes.delete("chat:write");
    const failed = await failure(outbound({}, "x"));
    expect(failed).toMatchObject({ outcome: "never_sent", scope: "account" });
    expect(failed.message).toContain("chat:write");
  });

  it.each(["internal_error", "fatal_error", "service_unavailable"])("is unknown after %s", async (error) => {
    b.slack.faults.next("chat.postMessage", { kind: "error", error });
    expect((await failure(outbound({}, "x"))).outcome).toBe("unknown");
  });

  it("is unknown after HTTP 503", async () => {
    b.slack.faults.next("chat.postMessage", { kind: "status", status: 503 });
    expect((await failure(outbound({}, "x"))).outcome).toBe("unknown");
  });
});
