/** `name{labels}` → value, of a text in Prometheus' format. */
export function parseMetrics(text: string): Map<string, number> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const [, name, value] = /^(\S+?(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
      if (name === undefined) throw new Error(`Not a metric: ${line}`);
      return [name, Number(value)];
    }),
  );
}
