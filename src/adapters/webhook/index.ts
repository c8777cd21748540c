/** Incoming webhooks: an authenticated call becomes a task for the agent; its answer may go to a callback URL. */
import { nowSeconds } from "../../clock.js";
import type { HermesError } from "../../errors.js";
import type { EventOutcome, Target } from "../../message.js";
import { traceFromHeaders, traceIdOf } from "../../trace-id.js";
import { type Adapter, type AdapterEvents, type Health, SendError } from "../adapter.js";
import { singlePart } from "../kit/single-part.js";
import { type CallbackSettings, Callbacks } from "./callback.js";
import { ACCOUNT, eventId, type HookSettings, hookOf, messageOf, PLATFORM, readCall } from "./normalise.js";
import { type Proof, refusalOf } from "./verify.js";

export interface Hook extends HookSettings {
  proof: Proof;
  /** Target of the answer, as text; null: none. */
  deliver: string | null;
  callback: CallbackSettings | null;
}

export interface WebhookOptions {
  hooks: readonly Hook[];
  /** Text for a chat → the chat. Rejects if there is none. */
  findTarget(words: string): Promise<Target | undefined>;
  /** The outcome of an event; undefined if it is unknown. */
  outcome(eventId: string): Promise<EventOutcome | undefined>;
  log(level: "info" | "warn" | "error", message: string, fields?: Readonly<Record<string, unknown>>): void;
}

export interface WebhookAdapter extends Adapter {
  callbacks: { path: string; limited: true; handle(request: Request): Promise<Response> }[];
}

export function webhookAdapter({ hooks, findTarget, outcome, log }: WebhookOptions): WebhookAdapter {
  const posts = new Callbacks();
  let events: AdapterEvents | undefined;

  const disconnect = () => {
    events = undefined;
  };

  async function take(hook: Hook, request: Request): Promise<Response> {
    const now = nowSeconds();
    const call = { headers: request.headers, body: new Uint8Array(await request.arrayBuffer()) };
    const refusal = refusalOf(call, hook.proof, now);
    if (refusal) {
      log("warn", "a webhook was refused", { webhook: hook.name, reason: refusal });
      return respond(401, { error: { code: "refused", message: MESSAGES[refusal] } });
    }
    const read = readCall(call, hook, now);
    if ("fault" in read) return respond(400, { error: { code: "invalid", message: read.fault } });
    if ("ignored" in read) return respond(202, { accepted: false, ignored: read.ignored });
    if (!events) return notNow("The gateway is starting or stopping");
    const { id, earlier } = read.delivery;
    const given = traceFromHeaders((name) => request.headers.get(name));
    const traced: Record<string, string> = given ? { "X-Request-Id": given.requestId } : {};
    const repeated = earlier !== undefined && (await outcome(eventId(hook.name, earlier))) !== undefined;
    if (!repeated) {
      const target = hook.deliver === null ? undefined : await findTarget(hook.deliver);
      const message = { ...messageOf(read, hook, target, now), ...(given ? { traceId: given.traceId } : {}) };
      traced["X-Request-Id"] ??= traceIdOf(message);
      await events.receive(message);
    }
    return respond(202, { accepted: true, delivery: repeated ? earlier : id }, traced);
  }

  async function handle(hook: Hook, request: Request): Promise<Response> {
    try {
      return await take(hook, request);
    } catch (error) {
      // Nothing was accepted, so the caller retries.
      const { message, hint } = error as HermesError;
      log("error", "a webhook was not accepted", {
        webhook: hook.name,
        reason: message,
        ...(hint ? { hint } : {}),
      });
      return notNow("Not accepted; see the gateway's log");
    }
  }

  return {
    platform: PLATFORM,
    account: ACCOUNT,
    limits: { length: 1_000_000, unit: "utf16" },
    callbacks: hooks.map((hook) => ({
      path: `/webhooks/${hook.name}`,
      limited: true as const,
      handle: (request) => handle(hook, request),
    })),

    async connect(given: AdapterEvents, signal: AbortSignal): Promise<void> {
      if (signal.aborted) return;
      events = given;
      signal.addEventListener("abort", disconnect, { once: true });
      await Promise.all(hooks.map((hook) => checkTarget(hook)));
    },

    disconnect: async () => disconnect(),

    /** Calls may arrive at any time, so there is nothing to check but that it is connected. */
    health(): Health {
      return events ? { state: "ok", lastProofAt: nowSeconds() } : { state: "down", lastProofAt: null };
    },

    ...singlePart(async (message, { mayBeRepeat }, signal) => {
      const { name, delivery } = hookOf(message.target);
      const hook = hooks.find((candidate) => candidate.name === name);
      if (!hook) throw new SendError("refused", `The webhook ${name} no longer exists`);
      const { kind, text, nonce } = message;
      const content = { webhook: name, delivery, kind, text };
      if (hook.callback) await posts.post(hook.callback, { nonce, mayBeRepeat }, content, signal);
      return nonce;
    }),
  };

  /** Reports a bad target at startup, not only when the first call fails. */
  async function checkTarget({ name, deliver }: Hook): Promise<void> {
    if (deliver === null) return;
    await findTarget(deliver).catch(({ message, hint }: HermesError) =>
      log("error", "a webhook can't deliver", { webhook: name, reason: message, ...(hint ? { hint } : {}) }),
    );
  }
}

const MESSAGES = {
  unsigned: "The signature is missing",
  wrong_signature: "The signature is wrong",
  too_old: "The signature is too old",
};

function respond(status: number, body: object, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers });
}

function notNow(message: string): Response {
  return respond(503, { error: { code: "unavailable", message } }, { "Retry-After": "5" });
}
