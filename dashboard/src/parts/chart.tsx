/** A chart over time, drawn by uPlot, with the same numbers as a table. */
import { useEffect, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import { isDark } from "../state/theme.js";
import { TableHead } from "./table-head.js";

export interface ChartSeries {
  label: string;
  values: readonly number[];
  /** Number in the colour palette. */
  color: number;
}

export type ChartKind = "stacked" | "mixed";

interface ChartProps {
  /** The chart in one sentence, for screen readers. */
  summary: string;
  /** One name per column, for the axis, the legend and the table. */
  names: readonly string[];
  series: readonly ChartSeries[];
  format(value: number): string;
  /** Stacked bars, or bars with lines. */
  kind: ChartKind;
  height?: number;
}

export function Chart(props: ChartProps) {
  const { summary, names, series, format } = props;
  const [hovered, setHovered] = useState<number>();
  const figure = useRef<HTMLDivElement>(null);
  useDrawing(figure, props, setHovered);
  const at = hovered !== undefined && hovered < names.length ? hovered : undefined;
  return (
    <figure class="chart">
      <div class="canvas" ref={figure} role="img" aria-label={summary} />
      <figcaption>
        <ul class="legend">
          {series.map(({ label, color, values }) => (
            <li key={label}>
              <i class="dot" aria-hidden="true" data-color={color} />
              {label}
              {at === undefined ? null : <b>{format(values[at] ?? 0)}</b>}
            </li>
          ))}
          {at === undefined ? null : <li class="legend-at">{names[at]}</li>}
        </ul>
      </figcaption>
      <details class="chart-table">
        <summary>Show as a table</summary>
        <ChartTable {...props} />
      </details>
    </figure>
  );
}

function ChartTable({ summary, names, series, format }: ChartProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <section class="scroll" tabIndex={0} aria-label={summary}>
      <table>
        <caption class="unseen">{summary}</caption>
        <TableHead first="When" numbers={series.map(({ label }) => label)} />
        <tbody>
          {names.map((name, i) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {series.map(({ label, values }) => (
                <td key={label} class="number">
                  {format(values[i] ?? 0)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Loaded on demand: pages without charts don't wait for uPlot. */
const library = () => import("./plot.js");
const RETRY_MS = 3000;

function useDrawing(
  figure: { current: HTMLDivElement | null },
  { names, series, format, kind, height = 200 }: ChartProps,
  onHover: (index: number | undefined) => void,
): void {
  const plot = useRef<uPlot | undefined>(undefined);
  const dark = isDark.value;
  const shape = JSON.stringify([kind, height, dark, series.map(({ label, color }) => [label, color])]);
  const latest = useRef({ names, series, format });
  latest.current = { names, series, format };
  // A new shape needs a new plot; new values only update its data.
  useEffect(() => {
    const box = figure.current!;
    let ended = false;
    let resized: ResizeObserver | undefined;
    let retry: ReturnType<typeof setTimeout> | undefined;
    const begin = () =>
      library().then(
        ({ draw }) => {
          if (ended) return;
          plot.current = draw(box, { kind, height, latest, onHover });
          resized = new ResizeObserver(() => plot.current?.setSize({ width: box.clientWidth, height }));
          resized.observe(box);
        },
        // The gateway is unreachable. Meanwhile, the table shows the numbers.
        () => {
          if (!ended) retry = setTimeout(begin, RETRY_MS);
        },
      );
    void begin();
    return () => {
      ended = true;
      clearTimeout(retry);
      resized?.disconnect();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [shape]);
  const values = JSON.stringify([names, series.map((one) => one.values)]);
  // Compared as text, because every render creates new arrays.
  useEffect(() => {
    const now = plot.current;
    if (now)
      void library().then(({ dataOf }) => plot.current === now && now.setData(dataOf(kind, latest.current)));
  }, [values]);
}
