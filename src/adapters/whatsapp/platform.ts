import { existsSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { type BotOf, definePlatform, type LoadedPlatform, type PlatformDeps } from "../platform.js";
import { botSettings, orNull, sample, text } from "../settings.js";
import { listed } from "./ids.js";

const NAME = "whatsapp";

const { schema, credentials } = botSettings({
  credentials: ["phone_number"],
  account: { phone_number: text },
  keys: {
    phone_number: sample(
      orNull(text).describe("The account's number, with the country code (WHATSAPP_PHONE_NUMBER)"),
      '"+15551234567"',
    ),
    mode: z
      .enum(["self-chat", "bot"])
      .default("self-chat")
      .describe("self-chat: answer the owner's messages to themself; bot: answer what others write"),
    link_with: z
      .enum(["code", "qr"])
      .default("code")
      .describe("How to link the account: a code to type on the phone, or a QR code in the terminal"),
    reply_prefix: sample(
      orNull(z.string().max(200)).describe("Before each answer; unset: ⚕ in self-chat mode, else nothing"),
      '"⚕ "',
    ),
    send_read_receipts: z.boolean().default(false).describe("Mark messages as read"),
    library: sample(
      orNull(text).describe(
        "File of the package baileys; unset: beside the gateway, or in packages/ of the home",
      ),
      "/opt/baileys/lib/index.js",
    ),
    api_url: sample(
      orNull(z.url({ protocol: /^wss?$/ })).describe("WhatsApp's WebSocket; unset: WhatsApp's own"),
      '"wss://web.whatsapp.com/ws/chat"',
    ),
  },
});

const LISTS = ["allow_from", "group_allow_from", "allow_admin_from", "group_allow_admin_from"] as const;

/** Numbers in lists as people write them. */
const settings = {
  schema: schema.transform((section) => ({
    ...section,
    ...Object.fromEntries(LISTS.map((list) => [list, section[list].map(listed)])),
  })),
  credentials,
};

type Bot = BotOf<typeof settings>;

export const whatsapp = definePlatform({
  name: NAME,
  label: "WhatsApp",
  summary: "WhatsApp as a linked device of an account, with the package baileys; WHATSAPP_PHONE_NUMBER",
  settings,
  env: {
    WHATSAPP_PHONE_NUMBER: "phone_number",
    WHATSAPP_MODE: "mode",
    WHATSAPP_GROUP_ALLOWED_USERS: "group_allowed_chats",
    WHATSAPP_DM_POLICY: "dm_policy",
    WHATSAPP_GROUP_POLICY: "group_policy",
    WHATSAPP_REQUIRE_MENTION: "require_mention",
    WHATSAPP_FREE_RESPONSE_CHATS: "free_response_channels",
    WHATSAPP_REPLY_PREFIX: "reply_prefix",
    WHATSAPP_SEND_READ_RECEIPTS: "send_read_receipts",
  },
  ids: {
    chat: /^(?:\+?\d{5,32}|\d{1,32}(?:-\d{1,32})?@(?:s\.whatsapp\.net|lid|g\.us))$/,
    example: "+15551234567",
    user: "the person's number with the country code: +15551234567",
  },
  unsolicited: true,
  capabilities: ["files", "typing"],
  setup: {
    steps: [
      "Use a separate number if you can: WhatsApp may block accounts that look like bots",
      "Install the package: npm install --prefix ~/.hermes/packages baileys@7.0.0-rc14",
      "Start the gateway: it shows a code. On the phone: Settings → Linked devices → Link a device → Link with phone number instead",
    ],
    secrets: [
      {
        key: "phone_number",
        name: "Phone number",
        variable: "WHATSAPP_PHONE_NUMBER",
        shape: /^\+?\d{5,15}$/,
        example: "+15551234567",
        help: "the number of the account on whatsapp",
      },
    ],
  },
  docs: {
    page: "docs/platforms/whatsapp.md",
    secrets: "`WHATSAPP_PHONE_NUMBER`, and a code on the phone",
    receives: "a linked device",
  },
  promises: {
    inbound: {
      loses: "some",
      how: "wait at WhatsApp; one that has just come when the gateway crashes is lost",
    },
    outbound: { repeats: "marked", how: "is sent again, unless a receipt shows that it arrived" },
  },
  probe: async (bot, { home }) => {
    const { probeWhatsApp } = await import("./probe.js");
    return probeWhatsApp({
      ...{ home, folder: folderOf(home, bot), library: bot.library },
      number: (bot.phone_number ?? "").replace(/\D/g, ""),
    });
  },
  load,
});

async function load(bot: Bot, { home, media, terminal, log }: PlatformDeps): Promise<LoadedPlatform> {
  const { whatsappAdapter } = await import("./index.js");
  const adapter = whatsappAdapter({
    phoneNumber: bot.phone_number ?? "",
    ...{ home, folder: folderOf(home, bot), account: bot.name, mode: bot.mode, linkWith: bot.link_with },
    replyPrefix: bot.reply_prefix ?? (bot.mode === "self-chat" ? "⚕ " : null),
    sendReadReceipts: bot.send_read_receipts,
    replyToMode: bot.reply_to_mode,
    ...{ library: bot.library, apiUrl: bot.api_url, media, terminal: terminal.output, log },
  });
  return { adapter };
}

/** Where Hermes Agent keeps it too, newer versions of it below `platforms`. */
function folderOf(home: string, { name }: Bot): string {
  if (name !== NAME) return path.join(home, "whatsapp", `session-${encodeURIComponent(name)}`);
  const [usual, newer] = [home, path.join(home, "platforms")].map((base) =>
    path.join(base, "whatsapp", "session"),
  );
  return !existsSync(usual!) && existsSync(newer!) ? newer! : usual!;
}
