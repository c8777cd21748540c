/** A connection to the IMAP server. The library is loaded with the first one. */
import type { ImapFlow } from "imapflow";
import { withTimeout } from "../../timeout.js";
import type { MailServer, Settings } from "./config.js";

const LOGOUT_MS = 500;

/** Rejects if there is no login in time. The caller closes it. */
export async function openImap(settings: Settings, signal: AbortSignal): Promise<ImapFlow> {
  const { ImapFlow } = await import("imapflow");
  signal.throwIfAborted();
  const { imap, user, password, timing } = settings;
  const client = new ImapFlow({
    ...endpointOf(imap),
    doSTARTTLS: imap.security === "starttls",
    auth: { user, pass: password },
    logger: false,
    disableAutoIdle: true,
    connectionTimeout: timing.callMs,
    greetingTimeout: timing.callMs,
    socketTimeout: settings.pollMs + 2 * timing.callMs,
  });
  // Errors also reject the command that runs.
  client.on("error", () => undefined);
  const abort = () => client.close();
  signal.addEventListener("abort", abort, { once: true });
  try {
    await withTimeout(client.connect(), 2 * timing.callMs, { signal });
    return client;
  } catch (error) {
    client.close();
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

export function endpointOf({ host, port, security, verify }: MailServer) {
  const secure = security === "tls";
  return { host, port, secure, tls: { rejectUnauthorized: verify } };
}

/** One command; a connection that doesn't answer is of no use any more. */
export async function inTime<T>(client: ImapFlow, work: Promise<T>, ms: number): Promise<T> {
  try {
    return await withTimeout(work, ms);
  } catch (error) {
    client.close();
    throw error;
  }
}

export async function closeImap(client: ImapFlow): Promise<void> {
  await withTimeout(client.logout(), LOGOUT_MS).catch(() => undefined);
  client.close();
}
