/** A line-based chat on the terminal that the daemon runs in. */
import { randomUUID } from "node:crypto";
import readline from "node:readline";
import { nowSeconds } from "../../clock.js";
import type { InboundMessage } from "../../message.js";
import { type Adapter, type AdapterEvents, type Health, SendError } from "../adapter.js";
import { singlePart } from "../kit/single-part.js";

export interface ConsoleOptions {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
}

const PLATFORM = "console";
const CHAT = "local";

export function consoleAdapter({ input, output }: ConsoleOptions): Adapter {
  let lines: readline.Interface | undefined;

  function disconnect(): void {
    lines?.close();
    lines = undefined;
  }

  return {
    platform: PLATFORM,
    account: PLATFORM,
    limits: { length: 1_000_000, unit: "utf16" },
    // It shows their paths.
    files: { maxBytes: Number.MAX_SAFE_INTEGER },
    // Pasted text arrives as many lines at once.
    burst: { quietMs: 50, afterLongMs: 50, longChars: Number.MAX_SAFE_INTEGER },

    async connect(events: AdapterEvents, signal: AbortSignal): Promise<void> {
      if (signal.aborted) return;
      lines = readline.createInterface({ input, terminal: false });
      // One after the other, to keep their order in the inbox.
      let accepted = Promise.resolve();
      lines.on("line", (line) => {
        if (line.trim() !== "") accepted = accepted.then(() => accept(events, line, output));
      });
      signal.addEventListener("abort", disconnect, { once: true });
    },

    disconnect: async () => disconnect(),

    health(): Health {
      return lines ? { state: "ok", lastProofAt: nowSeconds() } : { state: "down", lastProofAt: null };
    },

    ...singlePart(async (message) => {
      if (!output.writable) throw new SendError("never_sent", "The terminal is gone");
      const files = (message.files ?? []).map(({ name, path }) => `[${name}: ${path}]`);
      output.write(`${printable([message.text, ...files].join("\n"))}\n\n`);
      return `out:${message.id}`;
    }),
  };
}

async function accept(events: AdapterEvents, line: string, output: NodeJS.WritableStream): Promise<void> {
  try {
    await events.receive(messageOf(line));
  } catch (error) {
    output.write(`Not accepted: ${error instanceof Error ? error.message : String(error)}\n`);
  }
}

function messageOf(line: string): InboundMessage {
  const eventId = randomUUID();
  return {
    platform: PLATFORM,
    account: PLATFORM,
    eventId,
    origin: {
      platform: PLATFORM,
      chatType: "dm",
      chatId: CHAT,
      userId: CHAT,
      userName: "You",
      messageId: eventId,
    },
    text: line.trim(),
    attachments: [],
    sentAt: nowSeconds(),
    mentioned: false,
    repliedToBot: false,
    threadWithBot: false,
    isBot: false,
    authenticated: true,
  };
}

/** Without control characters: an answer may quote anything. */
function printable(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");
}
