import { describe, expect, it } from "vitest";
import { buttonsIn as discordButtons } from "./discord/components.js";
import { checkButtons as checkSlack } from "./slack/buttons.js";
import { keyboardOf } from "./telegram/keyboards.js";

/** What the real platforms refuse. */

describe("Telegram's buttons", () => {
  const keyboard = (...buttons: object[]) => ({ reply_markup: { inline_keyboard: [buttons] } });

  it.each([
    ["data of 65 bytes", keyboard({ text: "a", callback_data: "é".repeat(32).concat("x") })],
    ["no data", keyboard({ text: "a" })],
    ["an empty text", keyboard({ text: " ", callback_data: "a" })],
    ["101 buttons", keyboard(...Array(101).fill({ text: "a", callback_data: "a" }))],
  ])("are refused with %s", (_, payload) => {
    expect(() => keyboardOf(payload)).toThrow(/Bad Request/);
  });

  it("are taken within the limits", () => {
    const button = { text: "a", callback_data: "x".repeat(64) };
    expect(keyboardOf(keyboard(button))).toEqual([[button]]);
    expect(keyboardOf({})).toBeUndefined();
  });
});

describe("Discord's buttons", () => {
  const button = (more: object = {}) => ({ type: 2, style: 2, label: "a", custom_id: "a", ...more });
  const numbered = (count: number) => Array.from({ length: count }, (_, i) => button({ custom_id: `${i}` }));
  const row = (...components: object[]) => ({ type: 1, components });

  it.each([
    ["a long id", [row(button({ custom_id: "x".repeat(101) }))]],
    ["a long label", [row(button({ label: "x".repeat(81) }))]],
    ["no label", [row(button({ label: "" }))]],
    ["six in a row", [row(...numbered(6))]],
    ["an empty row", [row()]],
    ["six rows", Array.from({ length: 6 }, (_, i) => row(button({ custom_id: `${i}` })))],
    ["the same id twice", [row(button(), button())]],
    ["no row", [button()]],
  ])("are refused with %s", (_, components) => {
    expect(() => discordButtons({ components })).toThrow(/Invalid Form Body|50035/);
  });

  it("are taken within the limits", () => {
    expect(discordButtons({ components: [row(...numbered(5))] })?.flat()).toHaveLength(5);
    expect(discordButtons({ components: [] })).toEqual([]);
    expect(discordButtons({})).toBeUndefined();
  });
});

describe("Slack's buttons", () => {
  const text = (label: string) => ({ type: "plain_text", text: label });
  const button = (more: object = {}) => ({ type: "button", action_id: "a", text: text("a"), ...more });
  const numbered = (count: number) => Array.from({ length: count }, (_, i) => button({ action_id: `${i}` }));
  const actions = (...elements: ReturnType<typeof button>[]) => ({ type: "actions", elements });

  it.each([
    ["a long label", [actions(button({ text: text("x".repeat(76)) }))]],
    ["a label in Markdown", [actions(button({ text: { type: "mrkdwn", text: "a" } }))]],
    ["a long id", [actions(button({ action_id: "x".repeat(256) }))]],
    ["an unknown style", [actions(button({ style: "secondary" }))]],
    ["26 in a block", [actions(...numbered(26))]],
    ["none in a block", [actions()]],
    ["the same action twice", [actions(button(), button())]],
    ["the same block twice", numbered(2).map((one) => ({ ...actions(one), block_id: "b" }))],
  ])("are refused with %s", (_, blocks) => {
    expect(() => checkSlack(blocks)).toThrow("invalid_blocks");
  });

  it("are taken within the limits", () => {
    expect(() => checkSlack([actions(...numbered(25))])).not.toThrow();
  });
});
