/** A picture for the tour: a sun over hills, as a PNG. */
import { deflateSync } from "node:zlib";
import { written } from "./apng.js";

const WIDTH = 160;
const HEIGHT = 100;

export function sunset(): Buffer {
  const rows = Array.from({ length: HEIGHT }, (_, y) =>
    Buffer.from([0, ...Array.from({ length: WIDTH }, (_, x) => colourAt(x, y)).flat()]),
  );
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  // Eight bits, red, green and blue.
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  const pixels = written("IDAT", deflateSync(Buffer.concat(rows), { level: 9 }));
  return Buffer.concat([signature, written("IHDR", header), pixels, written("IEND", Buffer.alloc(0))]);
}

function colourAt(x: number, y: number): [number, number, number] {
  if (y > 78 + 7 * Math.sin(x / 17)) return [34, 92, 66];
  if (y > 66 + 9 * Math.sin(x / 29 + 2)) return [58, 125, 86];
  if (Math.hypot(x - 108, y - 52) < 17) return [255, 224, 130];
  const low = Math.floor((y / HEIGHT) * 12) / 12;
  return [Math.round(120 + 130 * low), Math.round(90 + 80 * low), Math.round(160 - 40 * low)];
}
