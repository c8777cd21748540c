import type { Adapter } from "../../src/adapters/adapter.js";
import { matrixAdapter } from "../../src/adapters/matrix/index.js";
import { BOT, MatrixEmulator, type Room, type StoredEvent } from "../emulators/matrix/index.js";
import { adapterContract } from "./adapter.js";
import { RestStage } from "./rest-stage.js";
import type { OpenOptions, Place, Platform } from "./stage.js";

const ANN = "@ann:test.example";

class MatrixStage extends RestStage<MatrixEmulator> {
  readonly secrets: readonly string[];
  readonly sends = { method: "PUT", path: /\/send\/m\.room\.message\// };
  readonly first = { method: "GET", path: /\/account\/whoami$/ };
  readonly refusal = { status: 403, body: { errcode: "M_FORBIDDEN", error: "You may not write here" } };

  constructor(emulator: MatrixEmulator, options: OpenOptions) {
    super(emulator, options);
    this.secrets = [emulator.token];
    const thread = emulator.room({ [ANN]: "Ann" }, "Talk");
    const root = emulator.say(thread, ANN, "Let us talk here");
    this.#add("direct chat", emulator.room({ [ANN]: "Ann" }), { chatType: "dm", threadId: null });
    this.#add("room", emulator.room({ [ANN]: "Ann", "@ben:test.example": "Ben" }, "Hall"), {
      chatType: "group",
    });
    this.#add("thread", thread, { chatType: "group", threadId: root.event_id }, root.event_id);
  }

  limited(seconds: number) {
    const body = { errcode: "M_LIMIT_EXCEEDED", error: "Too Many Requests", retry_after_ms: seconds * 1000 };
    return { status: 429, body };
  }

  make(): Adapter {
    return matrixAdapter({
      token: this.secrets[0]!,
      apiUrl: this.emulator.url,
      log: this.logged,
      timing: {
        pollMs: this.hasty ? 60 : 5000,
        pollGraceMs: this.hasty ? 300 : 3000,
        callMs: this.hasty ? 300 : 3000,
        backoff: { firstMs: 10, maxMs: 100 },
        refusedMs: 200,
      },
    });
  }

  #add(kind: string, room: Room, origin: Place["origin"], rootId?: string): void {
    const { emulator } = this;
    const thread = rootId === undefined ? {} : { "m.relates_to": { rel_type: "m.thread", event_id: rootId } };
    let last: StoredEvent | undefined;
    this.places.set(kind, {
      origin: { chatId: room.id, userId: ANN, userName: "Ann", ...origin },
      say: (text) => {
        const isRoom = origin.chatType !== "dm";
        const mention = isRoom ? { "m.mentions": { user_ids: [BOT] } } : {};
        last = emulator.say(room, ANN, isRoom ? `Hermes: ${text}` : text, { ...mention, ...thread });
      },
      seen: () => emulator.said(room).map(({ id, text, replyTo }) => ({ id, text, replyTo })),
      edit: (text) => emulator.edit(room, last!, text),
      remove: () => emulator.remove(room, last!),
    });
  }

  listeners = () => this.emulator.polls;
  typing = () => this.emulator.typing.length;
  override acknowledged = () => this.emulator.confirmed === this.emulator.world.pos;

  repeat(): void {
    this.emulator.duplicate = true;
  }

  babble(): void {
    const { world } = this.emulator;
    const room = [...world.rooms.values()][0]!;
    world.put(room, ANN, "org.example.new", { what: "ever" });
    world.put(room, ANN, "m.reaction", { "m.relates_to": { rel_type: "m.annotation", key: "+" } });
    world.put(room, ANN, "m.room.message", {});
    world.put(room, ANN, "m.room.message", { msgtype: "m.text", body: 7 });
    world.put(room, ANN, "m.room.message", { msgtype: "m.new", body: "?" });
    world.put(room, ANN, "m.room.message", {
      msgtype: "m.text",
      body: "",
      "m.relates_to": { rel_type: "m.replace" },
    });
    world.put(room, "nonsense", "m.room.message", { msgtype: "m.text", body: "?" });
    world.put(room, ANN, "m.room.redaction", {});
  }

  revokeToken(): void {
    this.emulator.token = "another";
  }
}

const matrix: Platform = {
  name: "matrix",
  kinds: ["direct chat", "room", "thread"],
  can: ["stream", "type", "look up"],
  lacks: {},
  open: async (options) => new MatrixStage(await new MatrixEmulator().start(), options),
};

adapterContract(matrix);
