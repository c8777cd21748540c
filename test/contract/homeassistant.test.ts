import type { Adapter, AdapterEvents } from "../../src/adapters/adapter.js";
import { homeAssistantAdapter } from "../../src/adapters/homeassistant/index.js";
import { HomeAssistantEmulator, rateLimited, TOKEN } from "../emulators/homeassistant/index.js";
import { adapterContract } from "./adapter.js";
import { RestStage } from "./rest-stage.js";
import { never, type OpenOptions, type Platform } from "./stage.js";

const ENTITIES = 20;

/** What a person would write is the state of an entity; each has one to change. */
class HomeAssistantStage extends RestStage<HomeAssistantEmulator> {
  readonly secrets = [TOKEN];
  readonly sends = { method: "POST", path: /\/services\// };
  readonly first = { method: "GET", path: /\/api\/$/ };
  readonly refusal = { status: 400, body: { message: "Message malformed: expected str" } };
  limited = rateLimited;

  constructor(emulator: HomeAssistantEmulator, options: OpenOptions) {
    super(emulator, options);
    for (let i = 0; i < ENTITIES; i++) emulator.set(`input_text.t${i}`, "idle");
    let said = 0;
    this.places.set("events", {
      origin: { chatType: "channel", chatId: "ha_events", userId: "homeassistant", threadId: null },
      say: (text) => emulator.set(`input_text.t${said++}`, text),
      seen: () => [...emulator.notifications.values()].map(({ id, text }) => ({ id, text, replyTo: null })),
      edit: never,
      remove: never,
    });
  }

  make(): Adapter {
    const callMs = this.hasty ? 600 : 3000;
    const adapter = homeAssistantAdapter({
      token: TOKEN,
      apiUrl: this.emulator.url,
      watch: { domains: ["input_text"] },
      log: this.logged,
      timing: {
        ...{ callMs, openMs: 3000, pingMs: this.hasty ? 100 : 2000, refusedMs: 200 },
        backoff: { firstMs: 20, maxMs: 200 },
        receiveRetry: { firstMs: 10, maxMs: 100 },
      },
    });
    const { connect } = adapter;
    return Object.assign(adapter, {
      connect: (events: AdapterEvents, signal: AbortSignal) => connect.call(adapter, worded(events), signal),
    });
  }

  listeners = () => this.emulator.sockets;
  typing = never;
  repeat = never;

  babble(): void {
    for (const frame of [
      "{",
      "null",
      "7",
      "[]",
      "{}",
      '{"type":"event"}',
      '{"id":1,"type":"event","event":7}',
    ])
      this.emulator.raw(frame);
    for (const data of [null, {}, { new_state: {} }, { new_state: { entity_id: "../x", state: "on" } }])
      this.emulator.raw(JSON.stringify({ id: 1, type: "event", event: { data } }));
    this.emulator.set("input_text.new", "appears");
    this.emulator.remove("input_text.new");
    this.emulator.set("light.porch", "on");
  }

  revokeToken(): void {
    this.emulator.token = "another.token.now";
  }
}

/** The suite knows what was written, not the sentence around it. */
function worded(events: AdapterEvents): AdapterEvents {
  return {
    receive: (message, cursor) => {
      const [, text = message.text] = / to '(.*)'(?: \(noticed late\))?$/.exec(message.text) ?? [];
      return events.receive({ ...message, text }, cursor);
    },
    edited: (edit) => events.edited(edit),
    deleted: (ref) => events.deleted(ref),
    cursor: (name) => events.cursor(name),
    saveCursor: (cursor) => events.saveCursor(cursor),
    chatMoved: (from, to) => events.chatMoved(from, to),
  };
}

const homeassistant: Platform = {
  name: "homeassistant",
  kinds: ["events"],
  can: [],
  lacks: {
    acknowledgement: "Home Assistant wants none: states are compared",
    repeats: "a state that is known isn't reported again",
    edits: "a change can't be edited",
    deletes: "a change can't be deleted",
    quotes: "notifications quote nothing",
  },
  open: async (options) => new HomeAssistantStage(await new HomeAssistantEmulator().start(), options),
};

adapterContract(homeassistant);
