/** Checks the address, the token and the rooms for `hermes doctor` and setup. Makes no sync. */
import { type Finding, found } from "../../finding.js";
import { withoutTrailing } from "../../trailing.js";
import { PROBE_CALL_MS, type Probe, type ProbeOptions } from "../probe.js";
import { isUnauthorized, MatrixApi, reasonOf, TOKEN_FAULT, TOKEN_FIX } from "./api.js";
import { isRoomId } from "./ids.js";

export interface ProbedBot {
  token: string;
  apiUrl: string;
}

const MAX_ROOMS = 100;
const MAX_NAMED = 10;

export async function probeMatrix({ token, apiUrl }: ProbedBot, options: ProbeOptions): Promise<Probe> {
  const api = new MatrixApi({ apiUrl: withoutTrailing(apiUrl, "/"), token, timeoutMs: PROBE_CALL_MS });
  try {
    const id = await api.whoAmI(options.signal);
    return { bot: { id, name: id }, findings: [found.ok(`is ${id}`), ...(await rooms(api, options.signal))] };
  } catch (error) {
    return { findings: [explain(error, apiUrl)] };
  }
}

async function rooms(api: MatrixApi, signal: AbortSignal): Promise<Finding[]> {
  const { joined_rooms: list } = await api.call<{ joined_rooms?: unknown }>("GET", "/joined_rooms", {
    signal,
  });
  const joined = (Array.isArray(list) ? list.filter(isRoomId) : []).slice(0, MAX_ROOMS);
  const encrypted: string[] = [];
  for (const roomId of joined)
    if (await api.state(roomId, "m.room.encryption", signal)) encrypted.push(roomId);
  if (joined.length === 0)
    return [
      found.warn("is not in any room", "Invite it: it accepts invitations of people who may talk to it."),
    ];
  const readable = found.ok(`reads ${joined.length - encrypted.length} rooms`);
  if (encrypted.length === 0) return [readable];
  const named = encrypted.slice(0, MAX_NAMED).join(", ") + (encrypted.length > MAX_NAMED ? ", …" : "");
  return [
    readable,
    found.warn(
      `can't read ${encrypted.length} encrypted rooms: ${named}`,
      "Encryption of a room can't be switched off: make a room without it, and invite the bot there.",
    ),
  ];
}

function explain(error: unknown, apiUrl: string): Finding {
  if (isUnauthorized(error)) return found.fail(TOKEN_FAULT, `${TOKEN_FIX}.`);
  return found.fail(
    `The homeserver can't be reached (${reasonOf(error)})`,
    `Check the network and platforms.matrix.api_url (${apiUrl}).`,
  );
}
