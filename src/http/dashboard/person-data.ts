/** Exports or erases all data of a person. */
import { randomBytes } from "node:crypto";
import fs from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import type { Hono } from "hono";
import PQueue from "p-queue";
import { homePaths } from "../../config/paths.js";
import { HermesError } from "../../errors.js";
import { archiveName, writeArchive } from "../../people/archive.js";
import { isBusy, planErasure, requireIdle, runErasure } from "../../people/erase.js";
import type { HomeState } from "../../people/left-alone.js";
import { formatPerson, unknownPerson } from "../../people/person.js";
import { WEB } from "../../policies/web-person.js";
import { bodyOf, paramsOf } from "../params.js";
import { operatorLog } from "./operator.js";
import type { DashboardOptions } from "./options.js";
import { personShape } from "./people.js";
import type { PeopleSource } from "./people-source.js";
import type { ErasedAnswer, ErasureAnswer } from "./people-types.js";

const MAX_WAITING = 10;

export function personDataRoutes(api: Hono, options: DashboardOptions, source: PeopleSource): void {
  const { store, home, loaded, bootId, web } = options;
  const note = operatorLog(options);
  const state: HomeState = { paths: homePaths(home), config: loaded.config, bootId };
  /** One at a time, because each reads or writes a large part of the database. */
  const jobs = new PQueue({ concurrency: 1 });
  const queued = async <T>(task: () => Promise<T>): Promise<T> => {
    if (jobs.size >= MAX_WAITING)
      throw new HermesError("unavailable", "Too many exports and erasures are waiting");
    return (await jobs.add(task)) as T;
  };

  api.get("/people/export", async (c) => {
    const person = paramsOf(c, personShape);
    const file = path.join(state.paths.home, `.export-${randomBytes(6).toString("hex")}`);
    const { bytes } = await queued(() => writeArchive(store, person, file, state.paths));
    const archive = await fs.open(file);
    // Unlinked while it is open, so that nothing is left however the download ends.
    await fs.rm(file, { force: true });
    await note(c, "people/export", { person: formatPerson(person), bytes });
    return c.body(Readable.toWeb(archive.createReadStream()) as ReadableStream, 200, {
      "Content-Type": "application/gzip",
      "Content-Length": String(bytes),
      "Content-Disposition": `attachment; filename="${archiveName(person)}"`,
    });
  });

  api.get("/people/erasure", async (c) => {
    const person = paramsOf(c, personShape);
    const erasure = await queued(() => planErasure(store, person, state));
    if (erasure.nothingStored) throw unknownPerson(person);
    const { counts, left } = erasure;
    return c.json({ counts, left, busy: isBusy(erasure, state) } satisfies ErasureAnswer);
  });

  api.post("/people/erase", async (c) => {
    const person = await bodyOf(c, personShape);
    const { counts, scrubbed } = await queued(async () => {
      const erasure = await planErasure(store, person, state);
      if (erasure.nothingStored) throw unknownPerson(person);
      requireIdle(erasure, state);
      const done = await runErasure(store, erasure, state, {
        step: (one) => one(() => undefined),
        inUse: true,
      });
      return { counts: erasure.counts, scrubbed: done };
    });
    source.invalidate();
    if (person.platform === WEB) web?.live.cut(person.userId);
    // Without the person's id, which has just been erased.
    await note(c, "people/erase", { platform: person.platform, ...counts });
    return c.json({ counts, rewritten: scrubbed.rewritten } satisfies ErasedAnswer);
  });
}
