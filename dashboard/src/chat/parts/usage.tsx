import type { AnswerUsage } from "../../../../src/adapters/web/api.js";
import { duration, exactMoney, money, number, short } from "../../format.js";

/** Model, duration, tokens and cost of an answer; exact numbers are in the tooltip. */
export function Usage({ usage }: { usage: AnswerUsage }) {
  const { model, inputTokens, outputTokens, costUsd, seconds } = usage;
  const parts = [
    model,
    seconds === null ? null : duration(seconds),
    `${short(inputTokens + outputTokens)} tokens`,
    costUsd === null ? null : money(costUsd),
  ].filter((part) => part !== null);
  const full = [
    `${number(inputTokens)} tokens read, ${number(outputTokens)} written`,
    costUsd === null ? null : exactMoney(costUsd),
  ].filter((part) => part !== null);
  return (
    <span class="usage" title={full.join(", ")}>
      {parts.join(" · ")}
    </span>
  );
}
