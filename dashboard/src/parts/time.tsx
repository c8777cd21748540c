import { useComputed } from "@preact/signals";
import { ago, fullMoment } from "../format.js";
import { now } from "../state/clock.js";

/** "2 minutes ago", with the exact time in a tooltip. */
export function Ago({ at }: { at: number }) {
  const text = useComputed(() => ago(at, now.value));
  return (
    <time key={at} dateTime={new Date(at * 1000).toISOString()} title={fullMoment(at)}>
      {text}
    </time>
  );
}
