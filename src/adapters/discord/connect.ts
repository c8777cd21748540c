/** Creates everything that exists while the bot is connected, and shuts it down. */
import type { REST } from "discord.js";
import { settlesWithin } from "../../timeout.js";
import type { AdapterEvents } from "../adapter.js";
import { Checkpoint } from "./checkpoint.js";
import type { Settings } from "./config.js";
import { BAD_TOKEN, connectError, isBadToken } from "./faults.js";
import { accountOf } from "./ids.js";
import { Interactions } from "./interactions.js";
import { KnownDms } from "./known-dms.js";
import { downloadsOf } from "./media.js";
import { Receiver } from "./receive.js";
import { closeRest, openRest } from "./rest.js";
import { ResumeState } from "./resume-state.js";
import { Sender } from "./send.js";
import { GatewaySocket, type SocketEvents } from "./socket.js";

export interface Uplink {
  rest: REST;
  sender: Sender;
  receiver: Receiver;
  socket: GatewaySocket;
  resumeState: ResumeState;
  stop: AbortController;
}

const STOP_MS = 2000;

/** Doesn't open the socket yet. Rejects with a HermesError if the token is refused. */
export async function buildUplink(
  settings: Settings,
  account: string,
  events: AdapterEvents,
  socketEvents: Omit<SocketEvents, "dispatch">,
): Promise<Uplink> {
  const rest = await openRest(settings);
  const stop = new AbortController();
  const botId = await botIdOf(rest, settings);
  const resumeState = new ResumeState(events, {
    saveMs: settings.timing.saveSessionMs,
    onFailure: (error) => settings.log("warn", "Discord's resume state was not saved", { err: error }),
  });
  const interactions = new Interactions(rest, events);
  const dms = new KnownDms(events);
  const checkpoint = new Checkpoint(events);
  rest.on("response", (_request, { headers }) => checkpoint.compareClock(headers.get("date")));
  await Promise.all([interactions.load(), dms.load(), checkpoint.load()]);
  const common = { rest, settings, botId, interactions };
  const receiver = new Receiver({
    ...common,
    account,
    downloads: downloadsOf(settings),
    events,
    resumeState,
    dms,
    checkpoint,
    signal: stop.signal,
  });
  const socket = new GatewaySocket(settings, resumeState, {
    ...socketEvents,
    dispatch: (packet, shardId) => receiver.dispatch(packet, shardId),
  });
  return { rest, sender: new Sender(common), receiver, socket, resumeState, stop };
}

async function botIdOf(rest: REST, { token }: Settings): Promise<string> {
  const known = accountOf(token);
  if (known !== undefined) return known;
  try {
    return ((await rest.get("/users/@me")) as { id: string }).id;
  } catch (error) {
    throw isBadToken(error) ? connectError(BAD_TOKEN) : error;
  }
}

/** Never rejects. */
export async function closeUplink(uplink: Uplink): Promise<void> {
  const { socket, receiver, resumeState, stop, rest } = uplink;
  await settlesWithin(socket.stop(), STOP_MS);
  // Events on their way into the inbox may still arrive; those that wait for a retry are left to the next start.
  stop.abort();
  await settlesWithin(receiver.idle(), STOP_MS);
  await settlesWithin(resumeState.flush(), STOP_MS);
  closeRest(rest);
}
