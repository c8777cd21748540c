/** Signing in with OpenID Connect, step by step, as a browser does it. */
import type { Browser } from "./web-chat.js";

const cookieOf = (headers: Headers) =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(";", 1)[0]!)
    .find((cookie) => cookie.startsWith("hermes_oidc="))!;

/** The way to the issuer. */
export async function leave(browser: Browser): Promise<{ to: URL; cookie: string }> {
  const { status, headers, body } = await browser.ask("GET", "login/oidc");
  if (status !== 303) throw new Error(`login/oidc: ${status} ${body}`);
  return { to: new URL(headers.get("location")!), cookie: cookieOf(headers) };
}

/** Through the issuer's pages, back to the gateway. */
export async function visit(to: URL, home: string): Promise<URL> {
  const jar = new Map<string, string>();
  for (let at = to, steps = 0; steps < 10; steps += 1) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(at, { redirect: "manual", headers: { cookie } });
    for (const set of response.headers.getSetCookie()) {
      const [name, value] = set.split(";", 1)[0]!.split("=", 2);
      jar.set(name!, value!);
    }
    const next = response.headers.get("location");
    if (next === null) throw new Error(`${at}: ${response.status} ${await response.text()}`);
    at = new URL(next, at);
    if (at.origin === home) return at;
  }
  throw new Error("The issuer doesn't send the browser back");
}

/** The browser's own cookie isn't sent on the way from another site. */
export async function comeBack(back: URL, cookie: string) {
  const response = await fetch(back, { redirect: "manual", headers: { cookie, accept: "text/html" } });
  const [text, location] = [await response.text(), response.headers.get("location")];
  return { status: response.status, text, code: location && new URL(location).hash.slice(1) };
}
