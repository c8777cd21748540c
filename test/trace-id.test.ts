import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  isTraceId,
  traceFromHeaders,
  traceIdFromNonce,
  traceIdOf,
  traceIdOfRequest,
} from "../src/trace-id.js";

const ID = "0af7651916cd43dd8448eb211c80319c";
const given = (headers: Record<string, string>) => traceFromHeaders((name) => headers[name]);

describe("a trace id", () => {
  it("is derived from the event's identity", () => {
    const event = { platform: "a", account: "b", eventId: "c" };
    expect(isTraceId(traceIdOf(event))).toBe(true);
    expect(traceIdOf({ ...event })).toBe(traceIdOf(event));
    expect(traceIdOf({ ...event, eventId: "d" })).not.toBe(traceIdOf(event));
    expect(traceIdOf({ platform: "ab", account: "", eventId: "c" })).not.toBe(traceIdOf(event));
    expect(traceIdOf({ ...event, traceId: ID })).toBe(ID);
    expect(traceIdOf({ ...event, traceId: "not one" })).toBe(traceIdOf(event));
    expect(isTraceId(traceIdFromNonce("n"))).toBe(true);
  });

  it("is taken from a W3C or common request header", () => {
    expect(given({ traceparent: `00-${ID}-00f067aa0ba902b7-01` })).toEqual({ requestId: ID, traceId: ID });
    expect(given({ "x-request-id": ID })).toEqual({ requestId: ID, traceId: ID });
    const uuid = "0AF76519-16cd-43dd-8448-eb211c80319c";
    expect(given({ "x-request-id": uuid })).toEqual({ requestId: uuid, traceId: ID });
    expect(given({ "x-request-id": "order-66" })).toEqual({
      requestId: "order-66",
      traceId: traceIdOfRequest("order-66"),
    });
    expect(given({ traceparent: `00-${ID}-00f067aa0ba902b7-01`, "x-request-id": "order-66" })).toEqual({
      requestId: "order-66",
      traceId: ID,
    });
  });

  it.each([
    {},
    { traceparent: `00-${"0".repeat(32)}-00f067aa0ba902b7-01` },
    { traceparent: `00-${ID}` },
    { "x-request-id": "" },
    { "x-request-id": "a b" },
    { "x-request-id": "a\r\nSet-Cookie: b" },
    { "x-request-id": "ä" },
    { "x-request-id": "x".repeat(129) },
  ])("isn't taken from %j", (headers) => {
    expect(given(headers as Record<string, string>)).toBeUndefined();
  });

  it("is always 32 hex digits, and the echoed value is always valid in a header", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (traceparent, requestId) => {
        const found = given({ traceparent, "x-request-id": requestId });
        if (!found) return;
        expect(isTraceId(found.traceId)).toBe(true);
        expect(found.requestId).toMatch(/^[!-~]{1,128}$/);
      }),
    );
  });
});
