/** Logs in to both servers → what keeps mail from arriving or going out. Reads and sends nothing. */
import { HermesError } from "../../errors.js";
import { type Finding, found } from "../../finding.js";
import { withTimeout } from "../../timeout.js";
import { PROBE_CALL_MS, type Probe, type ProbeOptions } from "../probe.js";
import { type EmailOptions, type Settings, settingsOf } from "./config.js";
import { isLoginRefused, loginRefused, reasonOf } from "./faults.js";
import { closeImap, endpointOf, inTime, openImap } from "./imap.js";

export async function probeEmail(options: EmailOptions, { signal }: ProbeOptions): Promise<Probe> {
  try {
    const settings = settingsOf({ ...options, timing: { callMs: PROBE_CALL_MS } });
    const findings = [
      ...(await probeImap(settings, signal)),
      await probeSmtp(settings),
      ...judgeTrust(settings),
    ];
    const { address } = settings;
    const isIn = findings[0]!.state === "ok";
    return { ...(isIn ? { bot: { id: address, name: address } } : {}), findings };
  } catch (error) {
    if (error instanceof HermesError) return { findings: [found.fail(error.message, error.hint)] };
    throw error;
  }
}

async function probeImap(settings: Settings, signal: AbortSignal): Promise<Finding[]> {
  const { address, mailbox, serverKeepsSent } = settings;
  try {
    const client = await openImap(settings, signal);
    try {
      await inTime(client, client.mailboxOpen(mailbox, { readOnly: true }), PROBE_CALL_MS);
      const boxes = await inTime(client, client.list(), PROBE_CALL_MS);
      const hasSent = boxes.some(({ specialUse }) => specialUse === "\\Sent");
      const idle = client.capabilities.has("IDLE") ? "immediately (IDLE)" : "by polling";
      return [
        found.ok(`reads the mail of ${address}, ${idle}`),
        ...(hasSent || !serverKeepsSent
          ? []
          : [
              found.warn(
                "the server names no mailbox for sent mail, so interrupted mails can't be looked up",
                "Set platforms.email.server_keeps_sent: false.",
              ),
            ]),
      ];
    } finally {
      await closeImap(client);
    }
  } catch (error) {
    return [explain(error, "imap", settings)];
  }
}

async function probeSmtp(settings: Settings): Promise<Finding> {
  const { smtp, user, password } = settings;
  const { createTransport } = await import("nodemailer");
  const transport = createTransport({
    ...endpointOf(smtp),
    requireTLS: smtp.security === "starttls",
    ignoreTLS: smtp.security === "plain",
    auth: { user, pass: password },
    connectionTimeout: PROBE_CALL_MS,
    greetingTimeout: PROBE_CALL_MS,
    socketTimeout: PROBE_CALL_MS,
  });
  try {
    await withTimeout(transport.verify(), 2 * PROBE_CALL_MS);
    return found.ok("may send mail");
  } catch (error) {
    return explain(error, "smtp", settings);
  } finally {
    transport.close();
  }
}

function explain(error: unknown, key: "imap" | "smtp", settings: Settings): Finding {
  const { code } = (error ?? {}) as { code?: unknown };
  if (isLoginRefused(error) || code === "EAUTH") {
    const { message, hint } = loginRefused();
    return found.fail(`${key}: ${message}`, hint);
  }
  const { host, port } = settings[key];
  return found.fail(
    `${key}: the mail server can't be reached (${reasonOf(error)})`,
    `Check the network, platforms.email.${key}_host and platforms.email.${key}_port (${host}:${port}).`,
  );
}

function judgeTrust({ trustFrom, authservId }: Settings): Finding[] {
  if (trustFrom)
    return [
      found.warn(
        "trusts every sender's address, which anyone can forge",
        "Set platforms.email.trust_from_header: false, unless only your own servers can deliver to this mailbox.",
      ),
    ];
  if (authservId !== null) return [found.ok(`trusts senders verified by ${authservId}`)];
  return [
    found.warn(
      "trusts the topmost Authentication-Results, even if the sender wrote them",
      "Set platforms.email.authserv_id to the name at the beginning of that header in a mail that you received.",
    ),
  ];
}
