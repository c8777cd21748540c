import { PassThrough } from "node:stream";
import type { Adapter } from "../../src/adapters/adapter.js";
import { consoleAdapter } from "../../src/adapters/console/index.js";
import { adapterContract } from "./adapter.js";
import { LOCAL, LocalStage, never, type Place, type Platform, type Stage } from "./stage.js";

/** A terminal with one person at it. */
class ConsoleStage extends LocalStage implements Stage {
  readonly #input = new PassThrough();
  readonly #output = new PassThrough({ encoding: "utf8" });
  readonly #adapter = consoleAdapter({ input: this.#input, output: this.#output });
  #printed = "";

  readonly #terminal: Place = {
    origin: { chatType: "dm", chatId: "local", userId: "local" },
    say: (text) => void this.#input.write(`${text}\n`),
    seen: () => {
      this.#printed += this.#output.read() ?? "";
      const texts = this.#printed.split("\n\n").filter((text) => text !== "");
      // A terminal shows no ids.
      return texts.map((text, i) => ({ id: this.#receipts[i] ?? "", text, replyTo: null }));
    },
    edit: never,
    remove: never,
  };
  readonly #receipts: string[] = [];

  place = () => this.#terminal;
  listeners = () => this.#input.listenerCount("data");

  adapter() {
    const adapter = this.#adapter;
    const sendPart: Adapter["sendPart"] = async (...args) => {
      const ids = await adapter.sendPart(...args);
      this.#receipts.push(...ids);
      return ids;
    };
    return { ...adapter, sendPart };
  }

  close = () => this.#adapter.disconnect();
}

const ONLY_LINES = "a terminal has lines and nothing else";

const console: Platform = {
  name: "console",
  kinds: ["terminal"],
  can: [],
  lacks: {
    ...LOCAL,
    acknowledgement: ONLY_LINES,
    redelivery: "the sender sees at once that it wasn't accepted",
    repeats: ONLY_LINES,
    absence: ONLY_LINES,
    nonsense: ONLY_LINES,
    edits: ONLY_LINES,
    deletes: ONLY_LINES,
    splitting: "a terminal has room for any answer",
    quotes: ONLY_LINES,
  },
  open: async () => new ConsoleStage(),
};

adapterContract(console);
