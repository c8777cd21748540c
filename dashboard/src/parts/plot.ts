/** uPlot in our colours. Loaded when the first chart is shown. */
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { ChartKind, ChartSeries } from "./chart.js";

interface Shown {
  names: readonly string[];
  series: readonly ChartSeries[];
  format(value: number): string;
}

interface Drawing {
  kind: ChartKind;
  height: number;
  latest: { readonly current: Shown };
  onHover(index: number | undefined): void;
}

export function draw(box: HTMLElement, { kind, height, latest, onHover }: Drawing): uPlot {
  const { series } = latest.current;
  const ink = colorOf(box, "--quiet");
  const grid = colorOf(box, "--grid");
  const font = `11px ${getComputedStyle(box).fontFamily}`;
  const axis = { stroke: ink, font, grid: { stroke: grid, width: 1 }, ticks: { show: false } };
  const colors = series.map(({ color }) => colorOf(box, `--series-${color}`));
  return new uPlot(
    {
      width: box.clientWidth,
      height,
      padding: [8, 8, 0, 0],
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
      scales: {
        x: { time: false, range: (_, min, max) => [min - 0.5, max + 0.5] },
        y: { range: (_, __, max) => [0, Math.max(max, 1) * 1.08] },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          size: 26,
          gap: 4,
          incrs: [1, 2, 5, 7, 10, 14, 15, 30, 60, 90],
          space: 60,
          values: (_, splits) => splits.map((i) => latest.current.names[i] ?? ""),
        },
        {
          ...axis,
          size: (_, values) => 16 + 6.2 * Math.max(0, ...(values ?? []).map((text) => text.length)),
          gap: 6,
          space: 36,
          values: (_, splits) => splits.map((value) => labelOf(value, latest.current)),
        },
      ],
      series: [{}, ...(kind === "stacked" ? bars(colors) : barsAndLines(colors))],
      hooks: { setCursor: [(plot) => onHover(plot.cursor.idx ?? undefined)] },
    },
    dataOf(kind, latest.current),
    box,
  );
}

/** Counts have no label between whole numbers: rounded, it would repeat the next one. */
function labelOf(value: number, { series, format }: Shown): string {
  const areCounts = series.every(({ values }) => values.every(Number.isInteger));
  return areCounts && !Number.isInteger(value) ? "" : format(value);
}

const bar = (fill: string): uPlot.Series => ({
  paths: uPlot.paths.bars!({ size: [0.72, 26], radius: 0.18 }),
  fill,
  width: 0,
  points: { show: false },
});

/** Tallest first, so that lower bars are painted on top. */
const bars = (colors: readonly string[]) => colors.toReversed().map(bar);

function barsAndLines(colors: readonly string[]): uPlot.Series[] {
  const paths = uPlot.paths.spline!();
  return colors.map((color, i) =>
    i === 0 ? bar(faded(color)) : { paths, stroke: color, width: 1.75, points: { show: false } },
  );
}

export function dataOf(kind: ChartKind, { names, series }: Shown): uPlot.AlignedData {
  const x = names.map((_, i) => i);
  if (kind === "mixed") return [x, ...series.map(({ values }) => [...values])];
  const below = names.map(() => 0);
  const stacked = series.map(({ values }) => values.map((value, i) => (below[i]! += value)));
  return [x, ...stacked.toReversed()];
}

/** Custom properties are returned unresolved (`light-dark(…)`), so this reads the computed colour of a temporary element. */
function colorOf(box: HTMLElement, property: string): string {
  const probe = document.createElement("i");
  probe.style.color = `var(${property})`;
  box.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function faded(color: string): string {
  const [red, green, blue] = color.match(/\d+/g) ?? [];
  return `rgba(${red}, ${green}, ${blue}, 0.45)`;
}
