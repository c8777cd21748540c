/** The buttons of a message, with Discord's checks. */
import * as errors from "./errors.js";
import type { Json } from "./payloads.js";
import type { Button } from "./world.js";

const MAX_ROWS = 5;
const MAX_PER_ROW = 5;
const MAX_LABEL = 80;
const MAX_ID = 100;
const BUTTON_STYLES = [1, 2, 3, 4];

/** Undefined: the body doesn't mention them. */
export function buttonsIn({ components }: Json): Button[][] | undefined {
  if (components === undefined || components === null) return undefined;
  const rows = (components as { type: number; components: Button[] }[]).map((row) => row.components);
  const wellFormed = (components as { type: number }[]).every(({ type }) => type === 1);
  if (!wellFormed || rows.length > MAX_ROWS)
    throw invalid("BASE_TYPE_BAD_LENGTH", "Must be 5 or fewer rows.");
  if (rows.some((row) => row.length < 1 || row.length > MAX_PER_ROW))
    throw invalid("BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length.");
  const ids = new Set<string>();
  for (const button of rows.flat()) {
    check(button);
    if (ids.has(button.custom_id))
      throw invalid("COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated");
    ids.add(button.custom_id);
  }
  return rows;
}

function check({ type, style, label, custom_id: id }: Button): void {
  if (type !== 2 || !BUTTON_STYLES.includes(style))
    throw invalid("BASE_TYPE_CHOICES", "Value must be one of");
  if (typeof label !== "string" || label.trim() === "" || [...label].length > MAX_LABEL)
    throw invalid("BASE_TYPE_BAD_LENGTH", "Must be between 1 and 80 in length.");
  if (typeof id !== "string" || id === "" || id.length > MAX_ID)
    throw invalid("BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.");
}

function invalid(code: string, message: string): errors.ApiError {
  return errors.invalidForm("components", code, message);
}
