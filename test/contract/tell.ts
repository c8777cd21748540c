import { expect, it } from "vitest";
import { SendError } from "../../src/errors.js";
import { type InboundMessage, type Target, targetOf } from "../../src/message.js";
import type { Outgoing } from "../support/send.js";
import type { Feature, Platform } from "./stage.js";

/** A test for platforms that have these features. */
export function needing(platform: Platform, ...features: Feature[]) {
  return (title: string, test: () => Promise<void>): void => {
    if (features.every((feature) => platform.lacks[feature] === undefined)) it(title, test);
  };
}

let outboxId = 0;

export function answer(to: InboundMessage | Target, text: string, more: Partial<Outgoing> = {}): Outgoing {
  outboxId += 1;
  return {
    id: outboxId,
    nonce: `contract-${outboxId}`,
    kind: "answer",
    target: "origin" in to ? targetOf(to) : to,
    text,
    turnId: null,
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

/** A readable sentence without secrets. */
export function expectTellable(text: string | undefined, secrets: readonly string[]): void {
  expect(text).toMatch(/\w{2,}\W+\w{2,}/);
  expectNoSecret(text ?? "", secrets);
}

export function expectNoSecret(text: string, secrets: readonly string[]): void {
  for (const secret of secrets) expect(text).not.toContain(secret);
}
