import { homePaths } from "../config/paths.js";
import type { Config } from "../config/schema.js";
import type { Log } from "../log.js";
import { isolationOf } from "../rules.js";
import { adoptIndex } from "../sessions/adopt.js";
import { FilesThread } from "../sessions/files-thread.js";
import { indexState } from "../sessions/index-stamp.js";
import { IndexWriter } from "../sessions/index-writer.js";
import { Transcripts } from "../sessions/transcript.js";
import { TranscriptKeeper } from "../sessions/transcript-keeper.js";
import type { Store } from "../store/store.js";
import type { Shutdown } from "./shutdown.js";

export interface SessionFilesOptions {
  home: string;
  config: Config;
  log: Log;
  store: Store;
  /** A platform whose routes aren't in `sessions.json`. */
  except: string;
}

/** `sessions.json` and the transcripts, written by a separate thread. */
export interface SessionFiles {
  index: IndexWriter;
  transcripts: TranscriptKeeper;
  /** Adopts the index of another Hermes and repairs files after a crash. */
  load(afterCrash: boolean): Promise<void>;
}

export function openSessionFiles(
  { home, config, log, store, except }: SessionFilesOptions,
  shutdown: Shutdown,
): SessionFiles {
  const { sessionsIndex: path, sessionsDir: dir, stateDb } = homePaths(home);
  const files = new FilesThread();
  shutdown.add("files", () => files.close());
  const index = new IndexWriter({
    ...{ path, stateDb, except, files, store },
    onError: (error) => log.warn({ err: error }, "could not write sessions.json"),
  });
  shutdown.add("index", () => index.close());
  const transcripts = new TranscriptKeeper({ transcripts: new Transcripts({ dir, files }), store, log });
  shutdown.add("transcripts", () => transcripts.idle());
  const adopt = async () => {
    const options = { store, files, path, isolation: isolationOf(config), except };
    const { adopted, problems } = await adoptIndex(options);
    for (const problem of problems) log.warn({ problem }, "sessions.json");
    if (adopted > 0) log.info({ adopted }, "adopted the sessions of another Hermes");
  };
  return {
    index,
    transcripts,
    load: async (afterCrash) => {
      // Reads the file only if another Hermes wrote it.
      const state = await indexState(store, path);
      if (state === "foreign") await adopt();
      // After a crash the last changes may be missing.
      if (state !== "current" || afterCrash) index.changed();
      await transcripts.repair({ afterCrash });
    },
  };
}
