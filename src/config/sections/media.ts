/** Files of the chats: which are fetched, which the model sees, how long they are kept. */

import { z } from "zod";
import { listOf, text } from "./scalars.js";

const MIB = 1024 * 1024;

export const media = z.strictObject({
  max_download_bytes: z
    .int()
    .positive()
    .default(20 * MIB)
    .describe("Largest file fetched from a chat"),
  show_images: z.boolean().default(true).describe("Show images to the model; false: only mention them"),
  // Five million bytes in base64, the providers' limit.
  max_image_bytes: z.int().positive().default(3_750_000).describe("Largest image shown to the model"),
  max_images: z.int().min(0).default(10).describe("Images shown to the model per turn"),
  max_upload_bytes: z
    .int()
    .positive()
    .default(50 * MIB)
    .describe("Largest file sent, if the platform allows it"),
  retention_days: z
    .number()
    .min(0)
    .default(30)
    .describe("Fetched and sent files are deleted after this many days; 0 = never"),
});

export const gateway = z.strictObject({
  media_delivery_allow_dirs: listOf(text).describe(
    "Folders that the agent's files are sent from, besides media/out in the home",
  ),
});
