/** Our own ids. Only this file builds and parses them. */

/** The same for all events about one message. */
export function postEventId(team: string, channel: string, ts: string): string {
  return `${team}:${channel}:${ts}`;
}

export function commandEventId(team: string, triggerId: string): string {
  return `${team}:command:${triggerId}`;
}

export function pressEventId(team: string, channel: string, user: string, at: string): string {
  return `${team}:press:${channel}:${user}:${at}`;
}

/** Slack gives commands no message id; answers refer to this one. */
export function commandId(triggerId: string): string {
  return `command:${triggerId}`;
}

/** Prefix for messages that are still streamed: the stream must be stopped before an edit. */
const STREAM = "stream:";

export function streamId(ts: string): string {
  return STREAM + ts;
}

export function parseShownId(id: string): { ts: string; stream: boolean } {
  const stream = id.startsWith(STREAM);
  return { ts: stream ? id.slice(STREAM.length) : id, stream };
}

/** Slack's message ids are timestamps: seconds, a dot, six digits. */
export function isTs(text: string | null | undefined): text is string {
  return typeof text === "string" && /^\d{1,12}\.\d{1,6}$/.test(text);
}
