/** Tools: who may use them, toolsets, and web search. */

import { z } from "zod";
import { httpUrl, id, listOf, orNull, sample, text } from "./scalars.js";

const PEOPLE = ["owner", "paired", "everyone"];

export const person = id.refine(
  (word) => PEOPLE.includes(word) || /^[a-z][a-z0-9_]*:./.test(word),
  'is not owner, paired, everyone or "platform:user id"',
);

const rule = z.strictObject({
  allow: z
    .array(person)
    .optional()
    .describe('Who may use it: owner, paired, everyone, "platform:user id"; an empty list denies it'),
  rooms: z.enum(["dm", "all"]).optional().describe("dm: only in direct chats"),
  ask: z
    .enum(["never", "once", "session", "always"])
    .optional()
    .describe("When to ask for approval: never, once per person, once per session, always"),
});

export const tools = z.record(text, rule).default({});

export const TOOLS_SAMPLE = `"*": {rooms: dm}
web: {allow: [paired]}
cronjob: {allow: [owner], ask: session}`;

const toolset = z.strictObject({
  description: orNull(text).describe("For people"),
  tools: listOf(text).describe("Tools by name"),
  includes: listOf(text).describe("Other toolsets"),
});

export const toolsets = z.record(text, toolset).default({});

export const platformToolsets = z.record(text, z.array(text)).default({});

export const web = z.strictObject({
  search_backend: sample(
    orNull(text).describe("Who searches: searxng, brave or tavily; unset: the first that is set up below"),
    "searxng",
  ),
  searxng_url: sample(
    orNull(httpUrl).describe("Address of a SearXNG server that gives JSON"),
    "http://127.0.0.1:8888",
  ),
  brave_api_key: orNull(text).describe("Key of Brave Search; better in .env"),
  tavily_api_key: orNull(text).describe("Key of Tavily; better in .env"),
});
