import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { DatabaseFile } from "../../src/health/database-file.js";
import { atEnd } from "../support/at-end.js";
import { tempStore } from "../support/temp.js";
import { until } from "../support/until.js";

async function watched() {
  const { store, file } = await tempStore();
  await store.setValue("a", "b");
  const database = new DatabaseFile({ path: file, everyMs: 5 });
  let changes = 0;
  database.onChange = () => {
    changes += 1;
  };
  await database.start();
  atEnd(() => database.stop());
  return { file, store, database, changes: () => changes };
}

describe("an open database", () => {
  it.each<[string, (file: string) => void]>([
    ["deleted", (file) => fs.rmSync(file)],
    [
      "replaced by a copy",
      (file) => {
        fs.copyFileSync(file, `${file}.new`);
        fs.renameSync(`${file}.new`, file);
      },
    ],
  ])("is reported as %s", async (_, harm) => {
    const { file, database, changes } = await watched();
    expect(database.isReplaced).toBe(false);
    expect(database.refusal).toBeUndefined();
    harm(file);
    await until("it was noticed", () => database.isReplaced);
    expect(changes()).toBe(1);
    expect(database.refusal).toMatchObject({ code: "unavailable" });
    expect(database.refusal?.message).not.toContain(file);
  });

  it("is accepted again once the same file is back", async () => {
    const { file, database, changes } = await watched();
    fs.renameSync(file, `${file}.away`);
    await until("it was noticed", () => database.isReplaced);
    fs.renameSync(`${file}.away`, file);
    await until("it is back", () => !database.isReplaced);
    expect(changes()).toBe(2);
  });

  it("is unchanged after writes, a checkpoint and a vacuum", async () => {
    const { store, database, changes } = await watched();
    await store.createSession({ id: "s", source: "cli" });
    await store.appendMessages("s", [{ role: "user", content: "x".repeat(100_000) }]);
    await store.deleteSessions(["s"]);
    await store.maintenance.scrub();
    expect([database.isReplaced, changes()]).toEqual([false, 0]);
  });
});
