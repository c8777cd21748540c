/** The Mac's message database: chats, messages in the order in which they came in, files. */
import type { FormFile } from "../multipart.js";

export interface MacChat {
  guid: string;
  identifier: string;
  name: string;
  isGroup: boolean;
  /** With oneself. */
  isSelf?: boolean;
}

export interface MacMessage {
  row: number;
  guid: string;
  chat: MacChat;
  text: string;
  sender: string | null;
  isFromMe: boolean;
  atMs: number;
  editedAtMs: number;
  retractedAtMs: number;
  threadGuid: string | null;
  files: string[];
  isAudio: boolean;
  /** Fields as the server has them. */
  raw: object;
}

interface Query {
  chatGuid?: string;
  after?: number;
  sort?: string;
  limit?: number;
  offset?: number;
  where?: { statement: string; args: { startRowId?: number } }[];
}

export class Messages {
  readonly chats: MacChat[] = [];
  readonly all: MacMessage[] = [];
  readonly files = new Map<string, FormFile>();
  #rows = 100;

  direct(address: string, service = "iMessage"): MacChat {
    const guid = `${service};-;${address}`;
    return this.#chat({ guid, identifier: address, name: "", isGroup: false });
  }

  group(id: string, name: string): MacChat {
    return this.#chat({ guid: `iMessage;+;${id}`, identifier: id, name, isGroup: true });
  }

  #chat(chat: MacChat): MacChat {
    const known = this.chats.find(({ guid }) => guid === chat.guid);
    if (!known) this.chats.push(chat);
    return known ?? chat;
  }

  add(chat: MacChat, more: Partial<MacMessage>): MacMessage {
    this.#rows += 1;
    const message: MacMessage = {
      row: this.#rows,
      guid: `B7C4-${String(this.#rows).padStart(6, "0")}`,
      chat,
      text: "",
      sender: null,
      isFromMe: false,
      atMs: Date.now(),
      editedAtMs: 0,
      retractedAtMs: 0,
      threadGuid: null,
      files: [],
      isAudio: false,
      raw: {},
      ...more,
    };
    this.all.push(message);
    return message;
  }

  keep(file: FormFile): string {
    const guid = `at_0_${this.files.size}`;
    this.files.set(guid, file);
    return guid;
  }

  in(chat: MacChat): MacMessage[] {
    return this.all.filter((message) => message.chat === chat);
  }

  /** Sorted by time, as the server does it. */
  query({ chatGuid, after = 0, sort = "DESC", limit = 100, offset = 0, where = [] }: Query): object[] {
    const afterRow = where.find(({ statement }) => statement === "message.ROWID > :startRowId")?.args
      .startRowId;
    const found = this.all
      .filter(({ chat }) => chatGuid === undefined || chat.guid === chatGuid)
      .filter(({ atMs, row }) => atMs >= after && row > (afterRow ?? 0))
      .toSorted((a, b) => a.atMs - b.atMs || a.row - b.row);
    if (sort === "DESC") found.reverse();
    return found.slice(offset, offset + limit).map((message) => this.serialize(message));
  }

  listChats({ limit = 1000, offset = 0 }: Query): object[] {
    return this.chats.slice(offset, offset + limit).map(serializeChat);
  }

  serialized(guid: string): object | undefined {
    const message = this.all.find((one) => one.guid === guid);
    return message && this.serialize(message);
  }

  serialize(message: MacMessage): object {
    const { row, guid, chat, text, sender, isFromMe, files } = message;
    return {
      originalROWID: row,
      guid,
      text,
      handle: sender === null ? null : { address: sender, service: "iMessage" },
      attachments: files.map((file) => this.#serializeFile(file)),
      error: 0,
      dateCreated: message.atMs,
      isFromMe,
      itemType: 0,
      associatedMessageGuid: null,
      associatedMessageType: null,
      threadOriginatorGuid: message.threadGuid,
      isAudioMessage: message.isAudio,
      chats: [serializeChat(chat)],
      dateEdited: message.editedAtMs || null,
      dateRetracted: message.retractedAtMs || null,
      ...message.raw,
    };
  }

  #serializeFile(guid: string): object {
    const { name, type, content } = this.files.get(guid)!;
    return { guid, transferName: name, mimeType: type, totalBytes: content.length };
  }
}

function serializeChat({ guid, identifier, name, isGroup }: MacChat): object {
  return { guid, chatIdentifier: identifier, displayName: name, style: isGroup ? 43 : 45 };
}
