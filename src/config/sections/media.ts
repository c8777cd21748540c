/** Files of the chats: what is fetched, what the model is shown, for how long they are kept. */

import { z } from "zod";
import { listOf, text } from "./scalars.js";

const MIB = 1024 * 1024;

export const media = z.strictObject({
  max_download_bytes: z
    .int()
    .positive()
    .default(20 * MIB)
    .describe("Largest file that is fetched from a chat"),
  show_images: z
    .boolean()
    .default(true)
    .describe("Show pictures to the model; false: it only reads that there is one"),
  // What a provider takes as five million bytes of base64.
  max_image_bytes: z.int().positive().default(3_750_000).describe("Largest picture that the model is shown"),
  max_images: z.int().min(0).default(10).describe("Pictures that the model is shown in one turn"),
  max_upload_bytes: z
    .int()
    .positive()
    .default(50 * MIB)
    .describe("Largest file that is sent, where the platform takes so much"),
  retention_days: z
    .number()
    .min(0)
    .default(30)
    .describe("Fetched and sent files are deleted after so many days; 0 = never"),
});

export const gateway = z.strictObject({
  media_delivery_allow_dirs: listOf(text).describe(
    "Folders that the agent's files are sent from, besides media/out in the home",
  ),
});
