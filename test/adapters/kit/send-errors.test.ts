import { describe, expect, it } from "vitest";
import {
  httpSendError,
  networkReason,
  networkSendError,
  retryAfterMs,
} from "../../../src/adapters/kit/send-errors.js";
import { SendError } from "../../../src/errors.js";

const call = { label: "Pigeon" };

describe("httpSendError", () => {
  it.each([
    [400, "refused"],
    [403, "refused"],
    [404, "refused"],
    [413, "refused"],
    [401, "never_sent"],
    [429, "never_sent"],
    [408, "unknown"],
    [500, "unknown"],
    [503, "unknown"],
  ] as const)("takes HTTP %i for %s", (status, outcome) => {
    expect(httpSendError({ status }, call).outcome).toBe(outcome);
  });

  it("takes an unknown outcome of a repeatable call for never sent", () => {
    expect(httpSendError({ status: 502 }, { ...call, repeatable: true }).outcome).toBe("never_sent");
    expect(httpSendError({ status: 400 }, { ...call, repeatable: true }).outcome).toBe("refused");
  });

  it("waits as long as the platform asks", () => {
    expect(httpSendError({ status: 429, retryAfter: "7" }, call).retryAfterMs).toBe(7000);
    expect(httpSendError({ status: 429 }, call).retryAfterMs).toBe(1000);
    expect(httpSendError({ status: 503, retryAfter: "2" }, call).retryAfterMs).toBe(2000);
  });

  it("makes the whole account wait while the token is refused", () => {
    expect(httpSendError({ status: 401 }, call)).toMatchObject({ scope: "account", retryAfterMs: 60_000 });
  });

  it("limits the length of the platform's text", () => {
    expect(httpSendError({ status: 400, reason: "x".repeat(1e6) }, call).message.length).toBeLessThan(400);
  });
});

describe("retryAfterMs", () => {
  it("reads seconds and dates, and at most an hour", () => {
    expect(retryAfterMs("1.5")).toBe(1500);
    expect(retryAfterMs("999999999")).toBe(3_600_000);
    expect(retryAfterMs("Thu, 01 Jan 1970 00:00:10 GMT", 4000)).toBe(6000);
    expect(retryAfterMs("Thu, 01 Jan 1970 00:00:10 GMT", 40_000)).toBe(0);
  });

  it.each([undefined, null, "", " ", "soon", "-", "1e400", "NaN"])("ignores %j", (header) => {
    expect(retryAfterMs(header)).toBeUndefined();
  });
});

describe("networkSendError", () => {
  const refused = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
  const reset = Object.assign(new Error("read ECONNRESET https://x/bot123:SECRET"), { code: "ECONNRESET" });

  it("tells a call that never connected from one with an unknown outcome", () => {
    expect(networkSendError(refused, call).outcome).toBe("never_sent");
    expect(networkSendError(reset, call).outcome).toBe("unknown");
    expect(networkSendError(reset, { ...call, repeatable: true }).outcome).toBe("never_sent");
    expect(networkSendError(undefined, call).outcome).toBe("unknown");
  });

  it("keeps a SendError as it is", () => {
    const error = new SendError("refused", "no");
    expect(networkSendError(error, call)).toBe(error);
  });

  it("never shows the error's text, which may contain a token", () => {
    for (const error of [reset, { cause: reset }, new Error("https://x/bot123:SECRET"), "SECRET"])
      expect(networkSendError(error, call).message).not.toContain("SECRET");
    expect(networkReason(Object.assign(new Error("x"), { code: "bot123:SECRET" }))).toBe(
      "the connection broke",
    );
  });

  it("names timeouts and aborts", () => {
    expect(networkReason(new DOMException("x", "TimeoutError"))).toBe("no answer in time");
    expect(networkReason({ cause: new DOMException("x", "AbortError") })).toBe("the request was aborted");
  });
});
