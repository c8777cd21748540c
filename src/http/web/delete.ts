/** Deletes a conversation with its sessions, queue rows, records and files. */
import { rm } from "node:fs/promises";
import path from "node:path";
import { PLATFORM } from "../../adapters/web/normalise.js";
import { type ConversationScope, liveOf, rowOf } from "./chat.js";
import { ANSWER, type AnswerValue, UPLOAD } from "./extras.js";
import { removeFiles } from "./files.js";

/** An unknown conversation isn't an error: it may be deleted already. */
export async function deleteConversation(scope: ConversationScope): Promise<void> {
  const { chat, person, id, key } = scope;
  await chat.gateway.stopTurn(key);
  const row = await rowOf(scope);
  const owner = { platform: PLATFORM, userId: person.id };
  await chat.store.deleteSessions(row?.sessions ?? [], { chat: key, owner });
  const removed = await chat.store.removeRecords({ platform: PLATFORM, owner: person.id, place: id });
  await removeFiles(
    chat,
    removed.filter(({ kind }) => kind === UPLOAD),
  );
  const answers = removed.filter(({ kind }) => kind === ANSWER).map(({ value }) => value as AnswerValue);
  for (const file of answers.flatMap(({ files = [] }) => files))
    await rm(path.join(chat.home, file.path), { force: true });
  liveOf(scope).publish(person.id, { type: "deleted", conversationId: id });
}
