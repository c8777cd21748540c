import { describe, expect, it } from "vitest";
import { discordAdapter } from "../../src/adapters/discord/index.js";
import { telegramAdapter } from "../../src/adapters/telegram/index.js";
import { normalise } from "../../src/adapters/telegram/normalise.js";
import type { InboundMessage } from "../../src/message.js";
import { burstWaitMs } from "../../src/pipeline/burst.js";

const telegram = telegramAdapter({ token: "1:t", apiUrl: "http://127.0.0.1:1", log: () => undefined });

/** A direct message as Telegram delivers it. */
function fromTelegram(fields: object): InboundMessage {
  const chat = { id: 7, type: "private" as const, first_name: "Ann" };
  const message = { message_id: 1, date: 1, chat, ...fields };
  const told = normalise({ update_id: 1, message } as never, { id: 1, username: "bot" });
  if (told?.kind !== "message") throw new Error("no message");
  return told.message;
}

const photo = { photo: [{ file_id: "f", file_unique_id: "u", width: 1, height: 1 }] };

describe("waiting for the rest of a message", () => {
  it.each([
    ["a short text", { text: "hello" }, false],
    ["a text of half the limit", { text: "x".repeat(2048) }, false],
    ["a text at the limit", { text: "x".repeat(4096) }, true],
    ["a single picture", photo, false],
    ["a single picture with a caption", { ...photo, caption: "look" }, false],
    ["a picture of an album", { ...photo, media_group_id: "9" }, true],
  ])("happens on Telegram after %s", (_, fields, waits) => {
    expect(burstWaitMs(fromTelegram(fields), telegram.burst) > 0).toBe(waits);
  });

  it("happens on Discord only after a text at the length limit", () => {
    const { burst } = discordAdapter({ token: "t" });
    const says = (length: number) => fromTelegram({ text: "x".repeat(length) });
    expect([10, 1000, 2000].map((length) => burstWaitMs(says(length), burst) > 0)).toEqual([
      false,
      false,
      true,
    ]);
  });
});
