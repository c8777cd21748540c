/** PNG pictures of one size → one animated PNG, which browsers show as any other picture. */
import { crc32 } from "node:zlib";

export interface Frame {
  png: Buffer;
  ms: number;
}

interface Chunk {
  type: string;
  content: Buffer;
}

const SIGNATURE = 8;

export function animated(frames: readonly Frame[]): Buffer {
  const [first] = frames;
  if (!first) throw new Error("An animation needs a frame");
  const header = chunksOf(first.png).find(({ type }) => type === "IHDR")!;
  let sequence = 0;
  const parts = frames.flatMap(({ png, ms }, i) => {
    const chunks = chunksOf(png);
    if (!chunks.some(({ type, content }) => type === "IHDR" && content.equals(header.content)))
      throw new Error(`Frame ${i} has another size or format than the first`);
    const pixels = Buffer.concat(chunks.filter(({ type }) => type === "IDAT").map(({ content }) => content));
    const control = written("fcTL", controlOf(sequence++, header.content, ms));
    // The first frame is also the picture for programs that don't know animations.
    if (i === 0) return [control, written("IDAT", pixels)];
    return [control, written("fdAT", Buffer.concat([number(sequence++), pixels]))];
  });
  return Buffer.concat([
    first.png.subarray(0, SIGNATURE),
    written("IHDR", header.content),
    // Zero: it plays for ever.
    written("acTL", Buffer.concat([number(frames.length), number(0)])),
    ...parts,
    written("IEND", Buffer.alloc(0)),
  ]);
}

function chunksOf(png: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString("latin1", at + 4, at + 8);
    chunks.push({ type, content: png.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  return chunks;
}

/** The whole picture, for so long. */
function controlOf(sequence: number, header: Buffer, ms: number): Buffer {
  const delay = Buffer.alloc(6);
  delay.writeUInt16BE(Math.min(ms, 65_535), 0);
  delay.writeUInt16BE(1000, 2);
  return Buffer.concat([number(sequence), header.subarray(0, 8), number(0), number(0), delay]);
}

function number(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(value);
  return buffer;
}

/** A chunk as it is in a file. */
export function written(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), content]);
  return Buffer.concat([number(content.length), body, number(crc32(body) >>> 0)]);
}
