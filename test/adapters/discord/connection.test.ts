import { describe, expect, it } from "vitest";
import { until } from "../../support/until.js";
import { answer, connected, FakeInbox, makeAdapter, soon, startEmulator } from "./support.js";

describe("the connection", () => {
  it("resumes after a cut and gets what was said meanwhile, once", async () => {
    const { emulator, inbox } = await connected();
    const ada = emulator.user("Ada");
    emulator.say(ada, emulator.dm(ada), "before");
    await inbox.message("before");
    emulator.gateway.cut();
    emulator.say(ada, emulator.dm(ada), "meanwhile");
    await inbox.message("meanwhile");
    expect(emulator.gateway).toMatchObject({ identifies: 1, resumes: 1 });
    expect(inbox.copies).toEqual([]);
  });

  it("resumes when Discord asks for it", async () => {
    const { emulator, inbox } = await connected();
    emulator.gateway.askToReconnect();
    await until("it resumes", () => emulator.gateway.resumes === 1);
    const ada = emulator.user("Ada");
    emulator.say(ada, emulator.dm(ada), "after");
    await inbox.message("after");
    expect(emulator.gateway.identifies).toBe(1);
  });

  it("notices a connection that is dead though it is open", async () => {
    const { emulator } = await connected({}, { heartbeatMs: 60 });
    emulator.faults.deafToHeartbeats = true;
    await until("it resumes", () => emulator.gateway.resumes > 0);
    emulator.faults.deafToHeartbeats = false;
  });

  it("identifies anew when the session is gone, and fetches what it missed", async () => {
    const { emulator, inbox } = await connected();
    const ada = emulator.user("Ada");
    const dm = emulator.dm(ada);
    emulator.say(ada, dm, "before");
    await inbox.message("before");
    emulator.gateway.forgetSessions();
    emulator.gateway.cut();
    emulator.say(ada, dm, "missed");
    await inbox.message("missed");
    await until("it identifies", () => emulator.gateway.identifies === 2);
    expect(inbox.texts).toEqual(["before", "missed"]);
  });

  it("does not identify when the day's connects are nearly used up", async () => {
    const emulator = await startEmulator();
    emulator.leaveIdentifies(3);
    const { adapter, stop } = makeAdapter(emulator);
    await adapter.connect(new FakeInbox(), stop.signal);
    expect(adapter.health().detail).toMatch(/Only 3 connects/);
    expect(emulator.gateway.identifies).toBe(0);
  });

  it("leaves no socket behind that was about to open", async () => {
    const { emulator, adapter } = await connected();
    emulator.faults.hangHandshakes = true;
    emulator.gateway.cut();
    await until("it knocks", () => emulator.knocks > 0);
    const before = performance.now();
    await adapter.disconnect();
    expect(performance.now() - before).toBeLessThan(1000);
    await until("all is closed", async () => (await emulator.openSockets()) === 0);
  });

  it("pauses between identifies that lead nowhere", async () => {
    const { emulator, lines } = await connected({}, { heartbeatMs: 10_000 });
    emulator.faults.closeAfterHello = 4000;
    emulator.gateway.close(4000);
    await until(
      "it has failed a few times",
      () => lines.filter(({ message }) => /4000/.test(message)).length > 2,
    );
    emulator.faults.closeAfterHello = null;
    await until("it is back", () => emulator.gateway.connected);
    expect(emulator.gateway.identifies).toBe(1);
  });
});

describe("one clear line", () => {
  it("for intents that the portal hasn't switched on", async () => {
    const emulator = await startEmulator();
    emulator.allowIntents(0x7fff_ffff & ~(1 << 15));
    const { adapter, stop } = makeAdapter(emulator);
    await expect(adapter.connect(new FakeInbox(), stop.signal)).rejects.toThrow(/Message Content Intent/);
    expect(adapter.health()).toMatchObject({
      state: "down",
      detail: expect.stringMatching(/Message Content/),
    });
    await until("nothing is left", () => emulator.gateway.sockets === 0);
    expect(emulator.gateway.identifies).toBe(1);
  });

  it("and a later start with the fault mended works", async () => {
    const emulator = await startEmulator();
    emulator.allowIntents(0);
    const { adapter, stop } = makeAdapter(emulator);
    await expect(adapter.connect(new FakeInbox(), stop.signal)).rejects.toThrow();
    emulator.allowIntents(0x7fff_ffff);
    const inbox = new FakeInbox();
    await adapter.connect(inbox, stop.signal);
    const ada = emulator.user("Ada");
    emulator.say(ada, emulator.dm(ada), "hello");
    await adapter.send(answer(await inbox.message("hello"), "hi"), soon());
  });
});
