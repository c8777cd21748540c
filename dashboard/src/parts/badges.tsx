import type { ComponentChildren } from "preact";
import { platformColor, platformName } from "../format.js";

export type Tone = "good" | "wait" | "bad" | "quiet" | "accent";

export function Badge({ tone = "quiet", children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** A platform by its colour and name. Colours are few: names tell the rest. */
export function Platform({ name }: { name: string }) {
  return (
    <span class="platform">
      <i class="dot" aria-hidden="true" data-color={platformColor(name)} />
      {platformName(name)}
    </span>
  );
}
