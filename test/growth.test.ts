import type { APIMessage } from "discord.js";
import type { Message, Update } from "grammy/types";
import pc from "picocolors";
import { describe, expect, it } from "vitest";
import { restOf } from "../src/adapters/api-server/answer.js";
import { readChatRequest } from "../src/adapters/api-server/chat-request.js";
import { readResponsesRequest } from "../src/adapters/api-server/responses-request.js";
import { inboundOf, readMessage } from "../src/adapters/bluebubbles/normalise.js";
import { textOf as discordText } from "../src/adapters/discord/describe.js";
import { renderParts, renderPreview } from "../src/adapters/discord/render.js";
import { htmlToText } from "../src/adapters/email/html-text.js";
import { ownWords } from "../src/adapters/email/quotes.js";
import { partsOf as renderMail } from "../src/adapters/email/render.js";
import { trustIn } from "../src/adapters/email/trust.js";
import { mentionedIds, readMrkdwn } from "../src/adapters/slack/mrkdwn.js";
import { render as renderSlack } from "../src/adapters/slack/render.js";
import { render as renderSms } from "../src/adapters/sms/render.js";
import { richText } from "../src/adapters/telegram/describe.js";
import { normalise as normaliseTelegram } from "../src/adapters/telegram/normalise.js";
import { render as renderTelegram } from "../src/adapters/telegram/render.js";
import { normalise as normaliseWeb } from "../src/adapters/web/normalise.js";
import { readCall } from "../src/adapters/webhook/normalise.js";
import { fillTemplate } from "../src/adapters/webhook/template.js";
import { readCall as readWhatsApp } from "../src/adapters/whatsapp-cloud/normalise.js";
import { partsOf as renderWhatsApp } from "../src/adapters/whatsapp-cloud/render.js";
import { classify, refusesImages } from "../src/agents/model/failures.js";
import { toModelMessages } from "../src/agents/model/messages.js";
import { beforeOwnWords } from "../src/agents/model/own-words.js";
import { systemPrompt } from "../src/agents/prompt.js";
import { cleanTitle, titleFromText } from "../src/agents/titler.js";
import { estimateTextTokens } from "../src/agents/tokens.js";
import { cellWidth, cutToCells, oneLine, plain } from "../src/cli/cells.js";
import { renderMarkdown } from "../src/cli/chat/markdown.js";
import { highlight } from "../src/cli/sessions/hits.js";
import { wrapText } from "../src/cli/wrap.js";
import { nearestCommand, parseCommand } from "../src/commands/parse-command.js";
import { parseAdd } from "../src/commands/parts/cron-args.js";
import { code, shortened } from "../src/commands/parts/text.js";
import { diffLines } from "../src/config/diff-lines.js";
import { parseEnvFile } from "../src/config/dotenv.js";
import { setVariable } from "../src/config/edit-env.js";
import { nearest } from "../src/config/nearest.js";
import { verdictOf } from "../src/hooks/verdict.js";
import { asTyped } from "../src/http/dashboard/search.js";
import { linearPattern } from "../src/linear-pattern.js";
import { createLog } from "../src/log.js";
import { LineLimit } from "../src/mcp/line-limit.js";
import { resultText } from "../src/mcp/result.js";
import { displayName } from "../src/media/names.js";
import { hideTags, readTags } from "../src/media/tags.js";
import { isSilence } from "../src/pipeline/replies.js";
import { toMessages } from "../src/pipeline/turn-input.js";
import { fallbackSummary, serialiseForSummary } from "../src/policies/compression.js";
import { countCall, NO_CALLS } from "../src/policies/tool-loop.js";
import { parseWhen } from "../src/policies/when.js";
import { bearerOf } from "../src/secret.js";
import { SecretRedactor } from "../src/secrets/redactor.js";
import { senderName } from "../src/sender-name.js";
import { decodeContentExactly, decodeExactly, plainText } from "../src/store/shared/content.js";
import { snippetOf } from "../src/store/shared/snippet.js";
import { nameBefore, quotes, withoutRepeats, wordsIn } from "../src/store/sqlite/people/redact.js";
import { parseTarget } from "../src/targets/target.js";
import { numberedList, readChoice, shortLabel } from "../src/text/choices.js";
import { graphemeStart, graphemesOf } from "../src/text/graphemes.js";
import { parseMarkdown } from "../src/text/markdown.js";
import { plainParts, splitText } from "../src/text/plain.js";
import { lineageBase, sanitizeTitle } from "../src/title.js";
import { parseArguments, readCalls } from "../src/tool-calls.js";
import { changedTodos } from "../src/tools/builtin/todo.js";
import { cleanEntry } from "../src/tools/memory-files.js";
import { bothEnds } from "../src/tools/output.js";
import { plainPage } from "../src/tools/web/plain-page.js";
import { traceFromHeaders } from "../src/trace-id.js";
import { withoutTrailing } from "../src/trailing.js";
import { badGrowth, type Work } from "./support/growth.js";
import { inboundMessage } from "./support/inbound-message.js";
import { redactAll } from "./support/redact-all.js";

/** Every pure function that scans external text. Add new ones to this list. */
const WALKERS: Record<string, Record<string, Work>> = {
  "what people write": {
    parseCommand,
    "parseCommand, after a slash": (text) => parseCommand(`/${text}`),
    nearestCommand: (text) => nearestCommand(text, ["compress", "status", "new"]),
    parseAdd: (text) => parseAdd(text, CLOCK),
    "parseAdd, in quotes": (text) => parseAdd(`"${text}`, CLOCK),
    "parseAdd, after an option": (text) => parseAdd(`--name ${text}`, CLOCK),
    parseWhen: (text) => parseWhen(text, CLOCK),
    "parseWhen, an interval": (text) => parseWhen(`every ${text}`, CLOCK),
    parseTarget,
    "parseTarget, after a platform": (text) => parseTarget(`slack:${text}`),
    sanitizeTitle,
    lineageBase,
    senderName: (text) => senderName({ userName: text, userId: text }),
    displayName,
    shortened,
    code,
    "toMessages, with a quote and notes": (text) =>
      toMessages({ message: inbound(text), receivedAt: 0 }, true, [
        { inboxId: 1, at: 0, before: text, text, userName: text },
      ]),
    "normalise of Telegram": (text) => normaliseTelegram(update(text), { id: 1, username: "hermes_bot" }),
    "richText of Telegram": (text) =>
      richText({ rich_message: { blocks: [{ text }] } } as unknown as Message),
    "textOf of Discord": (text) =>
      discordText({ content: text, mentions: [], author: {}, embeds: [] } as unknown as APIMessage, {
        botId: "1",
        botRoleId: "2",
        channelName: () => null,
      }),
    readChoice: (text) => readChoice(text, [{ id: "a", label: text }]),
    htmlToText: (text) => htmlToText(text),
    ownWords: (text) => ownWords(text),
    trustIn: (text) => trustIn([text], "a@b.example", null),
    readMrkdwn: (text) => readMrkdwn(text, SLACK),
    mentionedIds,
    "normalise of iMessage": (text) => {
      const message = readMessage({ ...IMESSAGE, text });
      return message && inboundOf(message, { account: "a", userName: text });
    },
    "readCall of WhatsApp": (text) => readWhatsApp(whatsAppCall(text), "1"),
    "normalise of the web chat": (text) =>
      normaliseWeb({ id: "00000000-0000-4000-8000-000000000000", text }, "c", 0),
    readChatRequest: (text) => readChatRequest({ model: "m", messages: [{ role: "user", content: text }] }),
    readResponsesRequest: (text) => readResponsesRequest({ model: "m", input: text }),
    readCall: (text) => readCall({ headers: new Headers(), body: Buffer.from(text) }, WEBHOOK, 0),
    fillTemplate: (text) => fillTemplate("{{a}} {{@body}}", { a: text }, {}),
    "fillTemplate, the template": (text) => fillTemplate(text, {}, {}),
    asTyped,
    nearest: (text) => nearest(text, ["telegram", "discord"]),
    bearerOf: (text) => bearerOf(`Bearer ${text}`),
    traceFromHeaders: (text) => traceFromHeaders(() => text),
  },
  "what a model writes": {
    readTags,
    "readTags, with a tag": (text) => readTags(`${text} MEDIA:/a.png ${text}`),
    "readTags, with a hint": (text) => readTags(`[[as_document]]${text}`),
    hideTags: (text) => hideTags(`MEDIA:/a.png ${text}`),
    "hideTags, at the end": (text) => hideTags(`${text} [[`),
    cleanTitle,
    "cleanTitle, after thoughts": (text) => cleanTitle(`<think>${text}`),
    titleFromText,
    isSilence: (text) => isSilence(text, {}),
    parseArguments,
    "parseArguments, in JSON": (text) => parseArguments(JSON.stringify({ text })),
    readCalls: (text) =>
      readCalls({
        role: "assistant",
        content: text,
        tool_calls: [{ id: "1", function: { name: "a", arguments: text } }],
      }),
    toModelMessages: (text) => toModelMessages([{ role: "user", content: text }]),
    estimateTextTokens,
    cleanEntry,
    "countCall, with long arguments": (text) =>
      countCall(NO_CALLS, { name: "a", args: { text, [text]: text } }),
    changedTodos: (text) => changedTodos([], [{ id: text, content: text, status: text }], true),
    systemPrompt: (text) => systemPrompt({ ...FACTS, principalName: text, memory: { own: text } }),
    restOf: (text) => restOf(text.slice(0, -1), `${text} `),
    beforeOwnWords: (text) => beforeOwnWords(text, { messages: [{ content: text }] }),
    classify: (text) => classify(new Error(text)),
    verdictOf: (text) => verdictOf({ decision: "handled", message: text }),
  },
  "what is shown": {
    "render for Telegram": (text) => renderTelegram(text),
    "render for Discord": (text) => renderParts(text),
    "preview for Discord": (text) => renderPreview(text),
    "render for mail": (text) => renderMail({ text } as Parameters<typeof renderMail>[0]),
    "render for WhatsApp": (text) => renderWhatsApp(asked(text)),
    "render for SMS": (text) => renderSms(text, { maxSegments: 10, maxMessages: 10 }),
    "render for Slack": (text) => renderSlack(text).flatMap((part) => part.pieces(3000)),
    "splitText by code points": (text) => splitText(text, { limit: 2000, unit: "codepoint" }),
    "splitText by UTF-16 units": (text) => splitText(text, { limit: 4096, unit: "utf16" }),
    "render as plain text": (text) => plainParts(text, { limit: 1000, unit: "codepoint" }),
    numberedList: (text) => numberedList(text, [{ id: "a", label: text }]),
    shortLabel: (text) => shortLabel(text, 80),
    "shortLabel, of any length": (text) => shortLabel(text, text.length / 2),
    parseMarkdown,
    graphemesOf: (text) => Array.from(graphemesOf(text)).length,
    graphemeStart: (text) => graphemeStart(text, text.length - 1),
    renderMarkdown: (text) => renderMarkdown(text, { width: 80, colors: pc.createColors(false) }),
    wrapText: (text) => wrapText(text, 80),
    cellWidth,
    cutToCells: (text) => cutToCells(text, 80),
    plain,
    oneLine,
    highlight: (text) => highlight(text, pc.createColors(true)),
    "highlight, after a mark": (text) => highlight(`>>>${text}`, pc.createColors(true)),
  },
  "what tools return": {
    bothEnds: (text) => bothEnds(text, text.length / 2, "note"),
    resultText: (text) => resultText({ content: [{ type: "text", text }] }),
    LineLimit: (text) => new LineLimit().push(Buffer.from(text)),
    "LineLimit, of a long line": (text) => new LineLimit(1000).push(Buffer.from(`${text}\n`)),
    plainPage,
    "plainPage, of open tags": (text) => plainPage(text.replaceAll("a", "<script><!-")),
    "plainPage, in a tag": (text) => plainPage(`<p ${text}`),
  },
  "what is stored": {
    plainText,
    "decodeExactly, of broken JSON": (text) => decodeExactly(`["${text}`),
    decodeContentExactly: (text) => decodeContentExactly(`\0json:${JSON.stringify([text])}`),
    snippetOf: (text) => snippetOf(text, ["b", text.slice(0, 20)]),
    nameBefore,
    "nameBefore, after a bracket": (text) => nameBefore(`[${text}`),
    wordsIn: (text) => wordsIn([text]),
    withoutRepeats: (text) => withoutRepeats(text, wordsIn([text.slice(0, 100)]), ["Ann"]),
    quotes: (text) => quotes(text, wordsIn([`${text}!`])),
  },
};

/** Prefixes of what redaction, templates and notes match. */
const BEGINNINGS = [
  ...["eyJ-eyJabcde", "M-", "K_API-", "token ", "token:", "authorization: a ", "bearer ", "://a:", "x."],
  ...["[Note: ", "'s earlier message ", "[a] > b\r", "{{", "a=", "\n\t", '\\"', '"a":"\\', "\0"],
];
const log = await createLog({ level: "info", pretty: false, destination: { write: () => undefined } });

const SEEKERS: Record<string, Work> = {
  redactAll,
  serialiseForSummary: (text) =>
    serialiseForSummary([
      { role: "user", content: text },
      { role: "user", content: `Bearer ${text}` },
    ]),
  fallbackSummary: (text) => fallbackSummary([{ role: "user", content: text }]),
  "the log": (text) => log.info({ a: text, token: text, err: new Error(text) }, text),
  parseEnvFile: (text) => [`A=${text}`, `A='${text}`, `A="${text}`].map((line) => parseEnvFile(line)),
  setVariable: (text) => setVariable(text, "NAME", "value"),
  diffLines: (text) => diffLines(text.replaceAll("\n", " "), ""),
  linearPattern: (text) => linearPattern("(a|a-)+$|^(\\s*>)+x").test(text),
  "redact of secrets": (text) => SECRETS.redact(`${text}aaaaaaab ${text}`),
  "a stream of secrets": (text) => {
    const stream = SECRETS.stream();
    for (let at = 0; at < text.length; at += 7) stream.push(text.slice(at, at + 7));
    return stream.end();
  },
  withoutTrailing: (text) => withoutTrailing(`${text}x`, "/\n \t"),
  refusesImages: (text) => refusesImages(classify(new Error(text))),
  withoutRepeats: (text) => withoutRepeats(text, wordsIn(["what they once wrote"]), ["Ann"]),
};

const SECRETS = new SecretRedactor(
  ["aaaaaaab", `${"a".repeat(500)}b`, "aaaaaaaa", "[[[[[[[[[[", "token:token:"].map((value) => ({
    name: "s",
    value,
  })),
);
const CLOCK = { now: 0, timeZone: "UTC" };
const SLACK = { botUserId: "U1", nameOf: () => undefined };
const FACTS = { platform: "test", chatType: "dm", shared: false, now: "today" };
const WEBHOOK = {
  name: "w",
  style: "github" as const,
  idHeader: null,
  uniqueBody: true,
  toleranceSeconds: 300,
  events: [],
  prompt: null,
};

const IMESSAGE = {
  guid: "1",
  dateCreated: 0,
  handle: { address: "+15551112222" },
  chats: [{ guid: "iMessage;+;chat1" }],
};

function whatsAppCall(text: string): object {
  const message = { id: "wamid.1", from: "15551112222", timestamp: "1", type: "text", text: { body: text } };
  const value = { metadata: { phone_number_id: "1" }, messages: [message, { ...message, id: text }] };
  return { object: "whatsapp_business_account", entry: [{ changes: [{ value }] }] };
}

function asked(text: string) {
  const question = { id: "q", choices: [{ id: "a", label: text }] };
  return { text, question } as unknown as Parameters<typeof renderWhatsApp>[0];
}

function inbound(text: string) {
  const origin = { platform: "test", chatType: "group", chatId: "1", userName: text };
  return inboundMessage({ text, origin, quoted: { text, messageId: null } });
}

function update(text: string): Update {
  const entities = [{ type: "mention", offset: 0, length: text.length }];
  const message = {
    message_id: 1,
    date: 0,
    chat: { id: 1, type: "private", first_name: "Ann" },
    text,
    entities,
  };
  return { update_id: 1, message } as unknown as Update;
}

for (const [where, walkers] of Object.entries(WALKERS)) {
  describe(`work on ${where} grows with its length`, () => {
    it.each(Object.entries(walkers))("%s", { timeout: 300_000 }, (_, work) => {
      expect(badGrowth(work)).toEqual([]);
    });
  });
}

describe("searching work grows linearly with the text", () => {
  it.each(Object.entries(SEEKERS))("%s", { timeout: 300_000 }, (_, work) => {
    expect(badGrowth(work, BEGINNINGS)).toEqual([]);
  });
});
