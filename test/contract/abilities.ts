import { describe, expect, it } from "vitest";
import {
  type Adapter,
  type CanLookUp,
  type CanPreview,
  type CanReact,
  type CanRegisterCommands,
  type CanStream,
  type CanType,
  canAsk,
  canLookUp,
  canPreview,
  canReact,
  canRegisterCommands,
  canStream,
  canType,
} from "../../src/adapters/adapter.js";
import { lookUp, send } from "../support/send.js";
import { until } from "../support/until.js";
import { type Ability, connected, open, type Platform, type Scene } from "./stage.js";
import { answer, failure, needing, soon } from "./tell.js";

const GUARDS: Record<Ability, (adapter: object) => boolean> = {
  stream: canStream,
  type: canType,
  "look up": canLookUp,
  "register commands": canRegisterCommands,
  preview: canPreview,
  ask: canAsk,
  react: canReact,
};

type Able<A> = Scene & { adapter: Adapter & A };

async function able<A>(platform: Platform): Promise<Able<A>> {
  return (await connected(platform)) as Able<A>;
}

export function abilities(platform: Platform): void {
  const can = (ability: Ability) => (title: string, cases: () => void) => {
    if (platform.can.includes(ability)) describe(title, cases);
  };

  it("declares its identity and abilities", async () => {
    const { adapter } = await open(platform);
    expect(adapter.platform).toBe(platform.name);
    expect(adapter.account).toMatch(/./);
    expect(adapter.limits.length).toBeGreaterThan(100);
    const able = (Object.keys(GUARDS) as Ability[]).filter((ability) => GUARDS[ability](adapter));
    expect(able.toSorted()).toEqual(platform.can.toSorted());
  });

  can("stream")("an answer that is being written", () => {
    it.each(platform.kinds)("is one message and becomes the answer: %s", async (kind) => {
      const { stage, inbox, adapter } = await able<CanStream>(platform);
      const place = stage.place(kind);
      place.say("tell me");
      const question = await inbox.message("tell me");
      const { target } = answer(question, "");
      let shown: string | null = null;
      for (const text of ["Once", "Once **upon", "Once **upon** a time"])
        shown = await adapter.show(target, shown, text, soon());
      const before = place.seen();
      expect(before).toHaveLength(shown === null ? 0 : 1);
      const message = answer(question, "The end.", shown === null ? {} : { replaces: shown });
      const receipt = await send(adapter, message, soon());
      expect(place.seen()).toMatchObject([{ id: receipt.messageIds[0], text: "The end." }]);
      if (shown !== null) expect(place.seen()[0]!.id).toBe(before[0]!.id);
    });

    it.each(platform.kinds)(
      "keeps its text if no answer comes, and is deleted if it has none: %s",
      async (kind) => {
        const { stage, inbox, adapter } = await able<CanStream>(platform);
        const place = stage.place(kind);
        place.say("tell me");
        const { target } = answer(await inbox.message("tell me"), "");
        const shown = await adapter.show(target, null, "Once **upon** ▉", soon());
        // A draft disappears by itself.
        if (shown === null) return expect(place.seen()).toEqual([]);
        for (let again = 0; again < 2; again++) {
          await adapter.abandon(target, shown, "Once **upon** a", soon());
          expect(place.seen().map(({ text }) => text.replaceAll("*", ""))).toEqual(["Once upon a"]);
        }
        await adapter.abandon(target, shown, "", soon());
        expect(place.seen()).toEqual([]);
        expect((await failure(adapter.abandon(target, shown, "", soon()))).outcome).toBe("refused");
      },
    );

    needing(platform, "limits")("isn't shown during a rate limit", async () => {
      const { stage, inbox, adapter } = await able<CanStream>(platform);
      const place = stage.place(platform.kinds[1]!);
      place.say("tell me");
      const { target } = answer(await inbox.message("tell me"), "");
      stage.limit(2);
      const error = await failure(adapter.show(target, null, "Once", soon()));
      expect(error.outcome).toBe("never_sent");
      expect(error.retryAfterMs).toBeGreaterThan(0);
      expect(place.seen()).toEqual([]);
    });
  });

  can("preview")("an answer that is being written", () => {
    it("is shown, and leaves no message", async () => {
      const { stage, inbox, adapter, dm } = await able<CanPreview>(platform);
      dm.say("tell me");
      const { target } = answer(await inbox.message("tell me"), "");
      await until("it is shown", () => {
        adapter.preview(target, "turn", "Once upon");
        return stage.previews().includes("Once upon");
      });
      expect(dm.seen()).toEqual([]);
    });
  });

  can("type")("the typing indicator", () => {
    it("is shown, and fails silently where it can't be", async () => {
      const { stage, inbox, adapter, dm } = await able<CanType>(platform);
      dm.say("tell me");
      const { target } = answer(await inbox.message("tell me"), "");
      adapter.type({ ...target, chatId: null, threadId: null });
      adapter.type({ ...target, chatId: "nonsense", threadId: "nonsense" });
      await until("it is shown", () => {
        adapter.type(target);
        return stage.typing() > 0;
      });
      await adapter.disconnect();
      adapter.type(target);
    });
  });

  can("react")("a reaction", () => {
    it.each(platform.kinds)("shows the state of a message: %s", async (kind) => {
      const { stage, inbox, adapter } = await able<CanReact>(platform);
      const place = stage.place(kind);
      place.say("tell me");
      const { target } = answer(await inbox.message("tell me"), "");
      const seen: string[][] = [];
      for (const state of ["working", "done", "working", null] as const) {
        await adapter.react(target, state, soon());
        seen.push([...stage.reactions!()].toSorted());
      }
      expect(seen.map((marks) => marks.length)).toEqual([1, 1, expect.any(Number), expect.any(Number)]);
      expect(seen[1]).not.toEqual(seen[0]);
      expect(seen[3]).not.toContain(seen[0]![0]);
      // Twice is fine; a message without an id has none.
      await adapter.react(target, "failed", soon());
      await adapter.react(target, "failed", soon());
      await adapter.react({ ...target, replyTo: null }, "working", soon());
      expect(stage.reactions!()).not.toContain(seen[0]![0]);
    });
  });

  can("look up")("a send in doubt", () => {
    it("is missing if it never arrived", async () => {
      const { inbox, adapter, dm } = await able<CanLookUp>(platform);
      dm.say("tell me");
      const message = answer(await inbox.message("tell me"), "hi");
      expect(await lookUp(adapter, message, soon())).toBe("missing");
    });

    needing(platform, "doubt")("is found if it arrived, by another process too", async () => {
      const { stage, inbox, adapter, stop, dm } = await able<CanLookUp>(platform);
      dm.say("tell me");
      const message = answer(await inbox.message("tell me"), "hi");
      stage.drop();
      await failure(send(adapter, message, soon()));
      const found = dm.seen().map(({ id }) => id);
      expect(found).toHaveLength(1);
      expect(await lookUp(adapter, message, soon())).toEqual(found);
      await adapter.disconnect();
      const next = stage.adapter() as Adapter & CanLookUp;
      await next.connect(inbox, stop.signal);
      expect(await lookUp(next, message, soon())).toEqual(found);
    });

    it("is unknown before there is a connection", async () => {
      const { adapter } = (await open(platform)) as Able<CanLookUp>;
      const { platform: name, account } = adapter;
      const target = { platform: name, account, chatType: "dm", chatId: "1", threadId: null };
      const message = answer({ ...target, userId: null, replyTo: null }, "hi");
      expect(await lookUp(adapter, message, soon())).toBe("unknown");
    });
  });

  can("register commands")("the menu", () => {
    it("has the commands; a picked command is received like a typed one and answered there", async () => {
      const { stage, inbox, adapter } = await able<CanRegisterCommands>(platform);
      await adapter.registerCommands([{ name: "status", description: "How it stands" }], soon());
      expect(stage.menu()).toContain("status");
      for (const kind of platform.kinds.slice(0, 2)) {
        stage.pick(kind, "status");
        const message = await until("it is received", () =>
          inbox.received.find(
            ({ text, origin }) => text === "/status" && fits(origin, stage.place(kind).origin),
          ),
        );
        const receipt = await send(adapter, answer(message, "fine", { kind: "command" }), soon());
        expect(stage.place(kind).seen()).toMatchObject([{ id: receipt.messageIds[0], text: "fine" }]);
      }
    });
  });
}

function fits(origin: object, wanted: object): boolean {
  return Object.entries(wanted).every(([name, value]) => (origin as Record<string, unknown>)[name] === value);
}
