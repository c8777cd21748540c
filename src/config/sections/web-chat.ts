/** The web chat, beside the keys that all platforms have. */
import { z } from "zod";
import { httpUrl, orNull, sample } from "./scalars.js";

export const webChat = z.strictObject({
  url: sample(
    orNull(httpUrl).describe(
      "Where people open the web chat, for links to it; unset: http.host and http.port",
    ),
    "https://chat.example.org",
  ),
  sharing: z.boolean().default(true).describe("People may share conversations as read-only links"),
});
