import { audienceOf } from "../../message.js";
import type { SessionSummary } from "../../session.js";
import type { CommandCall } from "../command.js";
import { currentSession } from "./current-session.js";
import { listVisible } from "./find-session.js";
import { blocks, code, counted, lines, shortened } from "./text.js";
import { ago } from "./times.js";

/** The recent sessions the asker may see, numbered for /resume. In a room, only the room's sessions. */
export async function showSessions(call: CommandCall): Promise<string> {
  const sessions = await listVisible(call);
  const room = audienceOf(call.message);
  const all = room && "In a direct message, /sessions shows all of yours.";
  if (sessions.length === 0)
    return room
      ? `No session of yours belongs to this room yet. ${all}`
      : "You have no sessions yet: write something to start one.";
  return blocks(
    `**${room ? "Your sessions in this room" : "Sessions"}**, last active first:`,
    lines(...sessions.map((session, i) => `${i + 1}. ${describe(call, session)}`)),
    lines("`/resume <number, title or id>` returns to one.", all),
  );
}

function describe(call: CommandCall, session: SessionSummary): string {
  const facts = [
    code(session.title ?? session.id),
    session.title === null && session.preview !== "" && code(shortened(session.preview, 40)),
    counted(session.message_count, "message"),
    ago(session.last_active, call.now),
    session.source !== call.principal.platform && session.source,
    session.id === currentSession(call)?.id && "**current**",
  ];
  return facts.filter(Boolean).join(" · ");
}
