/** Automatic backups. */

import { z } from "zod";
import { sample, text } from "./scalars.js";

export const backup = z.strictObject({
  every_hours: z.number().min(0).max(8760).default(0).describe("Hours between two backups; 0 = none"),
  keep: z.int().min(1).max(1000).default(7).describe("Backups that are kept; older ones are deleted"),
  folder: sample(
    text.nullable().default(null).describe("Where to; unset: backups/ in the home"),
    "/mnt/backups",
  ),
});
