import { expect, it } from "vitest";
import { SendError } from "../../src/errors.js";
import { type InboundMessage, type OutboundMessage, type Target, targetOf } from "../../src/message.js";
import type { Feature, Platform } from "./stage.js";

/** A case that hangs on what not every platform has: its stage says why. */
export function needing(platform: Platform, ...features: Feature[]) {
  return (title: string, test: () => Promise<void>): void => {
    if (features.every((feature) => platform.lacks[feature] === undefined)) it(title, test);
  };
}

let outboxId = 0;

export function answer(
  to: InboundMessage | Target,
  text: string,
  more: Partial<OutboundMessage> = {},
): OutboundMessage {
  outboxId += 1;
  return {
    id: outboxId,
    nonce: `contract-${outboxId}`,
    kind: "answer",
    target: "origin" in to ? targetOf(to) : to,
    text,
    turnId: null,
    mayBeRepeat: false,
    ...more,
  };
}

export const soon = () => AbortSignal.timeout(10_000);

export async function failure(work: Promise<unknown>): Promise<SendError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SendError);
  return error as SendError;
}

/** A sentence that an operator can read, and nothing that only the bot may know. */
export function expectTellable(text: string | undefined, secrets: readonly string[]): void {
  expect(text).toMatch(/\w{2,}\W+\w{2,}/);
  expectNoSecret(text ?? "", secrets);
}

export function expectNoSecret(text: string, secrets: readonly string[]): void {
  for (const secret of secrets) expect(text).not.toContain(secret);
}
