import { describe, expect, it } from "vitest";
import { isPrivateAddress, urlRefusal } from "../src/public-address.js";

describe("an address", () => {
  it.each([
    "127.0.0.1",
    "10.1.2.3",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "255.255.255.255",
    "::1",
    "::",
    "fe80::1",
    "fd00::1",
    "::ffff:10.0.0.1",
    "64:ff9b::a00:1",
    "2002:a00:1::",
    "::127.0.0.1",
    "fec0::1",
    "64:ff9b:1::a00:1",
    "100::1",
    "2001:0:a00:1::",
    "5f00::1",
    "nonsense",
  ])("%s is private", (address) => {
    expect(isPrivateAddress(address)).toBe(true);
  });

  it.each(["1.1.1.1", "172.32.0.1", "8.8.8.8", "2606:4700::1111", "2a00:1450:4001::1"])(
    "%s is public",
    (address) => {
      expect(isPrivateAddress(address)).toBe(false);
    },
  );
});

describe("a URL to call", () => {
  const refusal = (url: string, allowPrivate = false) => urlRefusal(new URL(url), allowPrivate);

  it.each([
    "https://example.org/x",
    "http://127.0.0.1:9/x",
    "http://localhost/x",
    "http://[::1]:1/",
    "https://1.1.1.1",
  ])("%s is allowed", (url) => {
    expect(refusal(url)).toBeUndefined();
  });

  it.each([
    ["http://example.org", /https/],
    ["ftp://127.0.0.1/x", /http/],
    ["https://10.0.0.1/x", /private/],
    ["https://[fd00::1]/x", /private/],
    ["https://169.254.169.254/latest", /private/],
    ["https://0x7f000001.example", undefined],
    ["https://2130706433/", undefined],
    ["https://user:pw@example.org", /password/],
  ])("%s: %s", (url, reason) => {
    if (reason) expect(refusal(url)).toMatch(reason);
    // The URL parser normalises it to an ordinary address.
    else expect(new URL(url).hostname === "127.0.0.1" || refusal(url) === undefined).toBe(true);
  });

  it("may be private if configured", () => {
    expect(refusal("https://10.0.0.1/x", true)).toBeUndefined();
    expect(refusal("http://10.0.0.1/x", true)).toMatch(/https/);
  });
});
