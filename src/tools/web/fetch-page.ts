/** Fetches a public web page; checks every redirect and every resolved address. */
import net from "node:net";
import type { Agent } from "undici";
import { guardedLookup, isPrivateAddress, PrivateAddressError } from "../../public-address.js";

export interface Page {
  /** After redirects. */
  url: string;
  type: string;
  text: string;
}

/** For people: why there is no page. */
export class PageProblem extends Error {}

/** Which addresses are allowed. */
export interface WebNetwork {
  /** Why a URL is refused, checked without a DNS lookup; undefined if it isn't. */
  refusal(url: URL): string | undefined;
  lookup: net.LookupFunction;
}

export const PUBLIC_NETWORK: WebNetwork = { refusal: publicRefusal, lookup: guardedLookup(false) };

function publicRefusal(url: URL): string | undefined {
  if (url.protocol !== "https:" && url.protocol !== "http:") return "is neither http nor https";
  if (url.username !== "" || url.password !== "") return "contains a password";
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  const isLocal = net.isIP(host) === 0 ? /(?:^|\.)localhost$/i.test(host) : isPrivateAddress(host);
  return isLocal ? "is not a public address" : undefined;
}

const MAX_BYTES = 5_000_000;
const MAX_REDIRECTS = 5;
const TIMEOUT_MS = 20_000;
const HEADERS = {
  "user-agent": "Mozilla/5.0 (compatible; HermesGateway)",
  accept: "text/html,application/xhtml+xml,text/*;q=0.9,application/json;q=0.8,*/*;q=0.1",
};
const TEXT_TYPE = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml)$|application\/(?:yaml|javascript)$)/;

const agents = new WeakMap<WebNetwork, Agent>();

/** Rejects with a PageProblem, or with the signal's reason. */
export async function fetchPage(
  address: string,
  outer: AbortSignal,
  network: WebNetwork = PUBLIC_NETWORK,
): Promise<Page> {
  const signal = AbortSignal.any([outer, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    return await follow(address, signal, network);
  } catch (error) {
    outer.throwIfAborted();
    if (signal.aborted) throw new PageProblem(`no answer within ${TIMEOUT_MS / 1000} s`);
    if (error instanceof PageProblem) throw error;
    const cause = (error as Error).cause;
    if (cause instanceof PrivateAddressError) throw new PageProblem("its name resolves to a private network");
    throw new PageProblem(cause instanceof Error ? cause.message : (error as Error).message);
  }
}

async function follow(address: string, signal: AbortSignal, network: WebNetwork): Promise<Page> {
  const { Agent, fetch } = await import("undici");
  // No keep-alive: the next request must look the name up again.
  const agent = agents.get(network) ?? new Agent({ pipelining: 0, connect: { lookup: network.lookup } });
  agents.set(network, agent);
  let url = checked(address, undefined, network);
  for (let redirects = 0; ; redirects++) {
    const response = await fetch(url, { redirect: "manual", headers: HEADERS, signal, dispatcher: agent });
    const location = response.headers.get("location");
    if (location === null || response.status < 300 || response.status >= 400)
      return read(url, response as unknown as Response);
    await response.body?.cancel();
    if (redirects >= MAX_REDIRECTS) throw new PageProblem("it redirects too often");
    url = checked(location, url, network);
  }
}

function checked(address: string, base: URL | undefined, network: WebNetwork): URL {
  if (!URL.canParse(address, base?.href)) throw new PageProblem("it is not a URL");
  const url = new URL(address, base);
  const refusal = network.refusal(url);
  if (refusal !== undefined) throw new PageProblem(`${url.origin} ${refusal}`);
  return url;
}

async function read(url: URL, response: Response): Promise<Page> {
  const [type = "", ...parameters] = (response.headers.get("content-type") ?? "text/html").split(";");
  const mimeType = type.trim().toLowerCase();
  const problem = !response.ok
    ? `HTTP ${response.status}`
    : TEXT_TYPE.test(mimeType) || mimeType === "application/xhtml+xml"
      ? undefined
      : `it is a file of the type ${mimeType.slice(0, 100)}, not a page`;
  if (problem !== undefined) {
    await response.body?.cancel();
    throw new PageProblem(problem);
  }
  const bytes = await bytesOf(response);
  return { url: url.href, type: mimeType, text: decode(bytes, charsetOf(parameters)) };
}

async function bytesOf(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new PageProblem(`it is larger than ${MAX_BYTES / 1_000_000} MB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function charsetOf(parameters: readonly string[]): string | undefined {
  const found = parameters.map((one) => one.trim().toLowerCase()).find((one) => one.startsWith("charset="));
  return found?.slice("charset=".length).replace(/["']/g, "");
}

/** Enough for a page's own declaration. */
const HEAD_BYTES = 1024;

function decode(bytes: Buffer, charset: string | undefined): string {
  const head = bytes.subarray(0, HEAD_BYTES).toString("latin1");
  const declared = charset ?? /charset=["']?([\w-]+)/i.exec(head)?.[1];
  try {
    return new TextDecoder(declared ?? "utf-8").decode(bytes);
  } catch {
    // An unknown name: most pages are UTF-8.
    return new TextDecoder().decode(bytes);
  }
}
