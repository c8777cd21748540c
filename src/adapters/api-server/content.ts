/** A message's content, in either API's format → its text and images. */
import { z } from "zod";
import type { InlineImage } from "./completion-request.js";
import { invalid } from "./errors.js";

const textPart = z.looseObject({ type: z.enum(["text", "input_text", "output_text"]), text: z.string() });
const refusalPart = z.looseObject({ type: z.literal("refusal"), refusal: z.string() });
const imagePart = z.looseObject({
  type: z.enum(["image_url", "input_image"]),
  image_url: z.union([z.string(), z.looseObject({ url: z.string() })]),
});

export const content = z.union(
  [z.string(), z.array(z.union([textPart, refusalPart, imagePart]))],
  "must be a string or a list of text and image_url parts",
);

export function readContent(given: z.output<typeof content> | null | undefined): {
  text: string;
  images: InlineImage[];
} {
  if (given === null || given === undefined) return { text: "", images: [] };
  if (typeof given === "string") return { text: given, images: [] };
  const texts: string[] = [];
  const images: InlineImage[] = [];
  for (const part of given) {
    if ("text" in part && typeof part.text === "string") texts.push(part.text);
    else if ("refusal" in part) texts.push(String(part.refusal));
    else images.push(readImage(part as z.output<typeof imagePart>));
  }
  return { text: texts.join("\n"), images };
}

/** Inline data only: fetching URLs for clients would let them reach internal servers. */
function readImage({ image_url }: z.output<typeof imagePart>): InlineImage {
  const url = typeof image_url === "string" ? image_url : image_url.url;
  const [, mimeType, data] = /^data:(image\/[\w.+-]+);base64,([A-Za-z0-9+/=\s]+)$/.exec(url) ?? [];
  if (mimeType === undefined || data === undefined)
    throw invalid("Images must be inline (data:image/…;base64,…); URLs are not fetched", "image_url");
  return { mimeType, data };
}
