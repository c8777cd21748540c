import { randomUUID } from "node:crypto";
import { LOCAL_USER } from "../../adapters/cli/index.js";
import { loadConfig } from "../../config/load.js";
import { ensureHome, homePaths, resolveHome } from "../../config/paths.js";
import type { Config } from "../../config/schema.js";
import type { Events } from "../../events.js";
import { createLog, type Log } from "../../log.js";
import type { SecretSet } from "../../secrets/secret-set.js";
import { Transcripts } from "../../sessions/transcript.js";
import { TranscriptKeeper } from "../../sessions/transcript-keeper.js";
import { homeSecrets, secretsOf } from "../../startup/secrets.js";
import { startWatchers } from "../../startup/watchers.js";
import { openStore } from "../../store/open.js";
import type { Store } from "../../store/store.js";
import { io } from "../io.js";
import { withProgress } from "../progress.js";

/** The home, opened by a process that runs the pipeline for its own chats. A daemon may run on the same home. */
export interface LocalHome {
  home: string;
  platform: string;
  config: Config;
  log: Log;
  store: Store;
  bootId: string;
  events: Events;
  transcripts: TranscriptKeeper;
  secrets: SecretSet;
  close(): Promise<void>;
}

/** How long exiting waits for an agent that ignores its abort signal. */
const LEAVE_SECONDS = 5;

export async function openLocalHome(platform: string): Promise<LocalHome> {
  const home = resolveHome(io().env);
  ensureHome(home);
  const config = forLocalUser(loadConfig({ home, env: io().env }).config, platform);
  const secrets = homeSecrets(home, config, io().env);
  const log = await createLog({ level: "error", pretty: true, secrets: secretsOf(config), known: secrets });
  const paths = homePaths(home);
  const store = await withProgress((onProgress) => openStore({ path: paths.stateDb, onProgress }));
  const bootId = randomUUID();
  const watchers = await startWatchers({ log, bootId, env: io().env });
  const transcripts = new TranscriptKeeper({
    ...{ transcripts: new Transcripts({ dir: paths.sessionsDir }), store, log },
  });
  const { events } = watchers;
  return {
    ...{ home, platform, config, log, store, bootId, events, transcripts, secrets },
    close: async () => {
      await watchers.close();
      await transcripts.idle();
      await store.close();
    },
  };
}

/** Anyone who may run the program on this home can read all of it anyway. */
function forLocalUser(config: Config, platform: string): Config {
  return {
    ...config,
    owners: [...config.owners, `${platform}:${LOCAL_USER}`],
    streaming: { ...config.streaming, enabled: true },
    agent: { ...config.agent, restart_drain_timeout: LEAVE_SECONDS },
  };
}
