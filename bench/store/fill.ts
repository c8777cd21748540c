import fs from "node:fs";
import path from "node:path";
import type { OpenedStore } from "../../src/store/sqlite/index.js";
import { type Group, MESSAGES_PER_GROUP, makeGroup, SESSIONS_PER_GROUP } from "../corpus.js";
import { openStore } from "../engine.js";
import { megabytes } from "../measure.js";
import { Plain } from "../plain.js";
import type { Pair, Scene } from "./scene.js";

/** Fills both files with the same history and compares their sizes after closing. */
export async function fillBoth(scene: Scene): Promise<Pair> {
  const storePath = path.join(scene.folder, "ours.db");
  const plainPath = path.join(scene.folder, "plain.db");
  const groups = scene.sizes.sessions / SESSIONS_PER_GROUP;
  let store = await openStore({ path: storePath, foreign: "adopt" });
  let plain = Plain.create(plainPath);
  for (let i = 0; i < groups; i += 1) {
    const group = makeGroup(i, groups);
    plain.fill(group.sessions, group.lines);
    await fillStore(store, group);
    for (const { id } of group.sessions) await store.endSession(id, "cli_close");
    if (i % 25 === 0)
      scene.say(`filling: ${i * MESSAGES_PER_GROUP} of ${scene.sizes.messages} messages in both`);
  }
  plain.endAll();
  plain.close();
  await store.close();
  addSizes(scene, fs.statSync(storePath).size, fs.statSync(plainPath).size);
  store = await openStore({ path: storePath, foreign: "adopt" });
  plain = Plain.open(plainPath);
  return { plain, store, storePath, plainPath, nextGroup: groups };
}

export async function fillStore(store: OpenedStore, { sessions, lines }: Group): Promise<void> {
  await Promise.all(sessions.map((session) => store.createSession(session)));
  await Promise.all(lines.map(({ session, message }) => store.appendMessages(session, [message])));
}

function addSizes({ rows, sizes }: Scene, ours: number, plain: number): void {
  rows.push({
    ratio: ours / plain,
    what: `file of ${sizes.messages.toLocaleString("en")} messages`,
    ours: megabytes(ours),
    plain: megabytes(plain),
    target: "≤ 0.55×",
    met: ours / plain <= 0.55,
  });
}
