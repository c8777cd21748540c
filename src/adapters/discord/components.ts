/** The choices of a question → Discord's buttons. Pure. */
import type { APIActionRowComponent, APIButtonComponentWithCustomId } from "discord.js";
import { ButtonStyle, ComponentType } from "discord-api-types/v10";
import type { OutboundQuestion } from "../../question.js";
import { buttonsOf } from "../kit/buttons.js";

export type ButtonRow = APIActionRowComponent<APIButtonComponentWithCustomId>;

const PER_ROW = 5;
export const MAX_CHOICES = 25;
const LABEL_CHARS = 80;
const STYLES = {
  plain: ButtonStyle.Secondary,
  primary: ButtonStyle.Primary,
  danger: ButtonStyle.Danger,
} as const;

export function buttonRowsOf(question: OutboundQuestion): ButtonRow[] {
  const buttons = buttonsOf(question, { maxChoices: MAX_CHOICES, labelChars: LABEL_CHARS }).map(
    ({ label, data, style }) => ({
      type: ComponentType.Button as const,
      style: STYLES[style ?? "plain"],
      label,
      custom_id: data,
    }),
  );
  return Array.from({ length: Math.ceil(buttons.length / PER_ROW) }, (_, row) => ({
    type: ComponentType.ActionRow,
    components: buttons.slice(row * PER_ROW, (row + 1) * PER_ROW),
  }));
}
