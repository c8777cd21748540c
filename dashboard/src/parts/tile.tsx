import type { ComponentChildren } from "preact";
import type { Tone } from "./badges.js";

interface TileProps {
  id?: string;
  label: string;
  value: ComponentChildren;
  tone?: Tone | undefined;
  /** A note below the value. */
  children: ComponentChildren;
}

export function Tile({ id, label, value, tone, children }: TileProps) {
  return (
    <li class="tile" data-tile={id} data-tone={tone}>
      <span class="tile-label">{label}</span>
      <span class="tile-value">{value}</span>
      <span class="tile-note">{children}</span>
    </li>
  );
}
