import { expect, it } from "vitest";
import { HermesError } from "../src/errors.js";
import { Events } from "../src/events.js";
import { logEvents } from "../src/log-events.js";

function lineFor(error: unknown): unknown[] {
  const events = new Events(() => undefined);
  const lines: unknown[] = [];
  const keep = (level: string) => (fields: object, message: string) => lines.push([level, message, fields]);
  logEvents(events, { debug: keep("debug"), info: keep("info"), warn: keep("warn"), error: keep("error") });
  events.emit({ type: "platform-failed", platform: "discord", account: "1", error });
  return lines;
}

it("a platform that can't be reached is one line with the error's code, without a stack", () => {
  const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:9"), {
    code: "ECONNREFUSED",
    syscall: "connect",
  });
  const at = { platform: "discord", account: "1" };
  expect(lineFor(refused)).toEqual([["error", "could not connect (ECONNREFUSED)", at]]);
  const bug = new TypeError("x is not a function");
  expect(lineFor(bug)).toEqual([["error", "could not connect", { ...at, err: bug }]]);
  const invalid = new HermesError("invalid", "The token is wrong", { hint: "Set another" });
  expect(lineFor(invalid)).toEqual([["error", "The token is wrong: Set another", at]]);
});
