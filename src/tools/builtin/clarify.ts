/** The `clarify` tool: a question to the person, with up to four choices. */
import { startOf } from "../../text-limits.js";
import { textArgument } from "../arguments.js";
import { failure, success } from "../result.js";
import type { ToolDefinition } from "../tool.js";

const DESCRIPTION =
  "Asks the person a question when you can't go on without their decision. choices: up to 4 short answers, shown as " +
  "buttons; they may also answer in their own words. Not for small matters: decide those yourself.";

const PARAMETERS = {
  type: "object",
  properties: {
    question: { type: "string" },
    choices: { type: "array", items: { type: "string" }, maxItems: 4 },
  },
  required: ["question"],
};

const MAX_CHOICES = 4;
const MAX_LABEL_CHARS = 60;
const MAX_QUESTION_CHARS = 2000;

export function clarifyTool(): ToolDefinition {
  return {
    name: "clarify",
    toolset: "clarify",
    description: DESCRIPTION,
    parameters: PARAMETERS,
    effect: "read",
    repeat: "safe",
    run: async (args, call) => {
      const question = textArgument(args, "question");
      if (question === undefined) return failure("question is missing.");
      if (call.unattended)
        return failure("no person waits for this turn. Decide yourself, and say what you assumed.");
      const labels = labelsOf(args.choices);
      const choices = labels.map((label, i) => ({ id: String(i + 1), label }));
      const answer = await call.ask({
        text: startOf(question, MAX_QUESTION_CHARS),
        choices,
        acceptsText: true,
      });
      if (!answer)
        return failure("no answer came in time. Go on with your best judgement, and say what you assumed.");
      const chosen = choices.find(({ id }) => id === answer.choiceId)?.label;
      return success({ question, choices_offered: labels, user_response: chosen ?? answer.text });
    },
  };
}

/** Models also send objects or one text. */
function labelsOf(given: unknown): string[] {
  const items = Array.isArray(given) ? given : given === undefined || given === null ? [] : [given];
  const labels = items.flatMap((item) => {
    const text = textArgument(typeof item === "object" && item !== null ? item : { label: item }, "label");
    return text === undefined ? [] : [startOf(text, MAX_LABEL_CHARS)];
  });
  return [...new Set(labels)].slice(0, MAX_CHOICES);
}
