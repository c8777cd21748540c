import type { ComponentChildren } from "preact";
import { platformColor, platformName } from "../format.js";

export type Tone = "good" | "wait" | "bad" | "quiet" | "accent";

export function Badge({ tone = "quiet", children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** A platform's coloured dot and name. Several platforms share a colour. */
export function Platform({ name }: { name: string }) {
  return (
    <span class="platform">
      <i class="dot" aria-hidden="true" data-color={platformColor(name)} />
      {platformName(name)}
    </span>
  );
}
