/** Ids of ours, made and read here only; everybody else compares and stores them. */

/** One post, whichever of Slack's events tells of it. */
export function postEventId(team: string, channel: string, ts: string): string {
  return `${team}:${channel}:${ts}`;
}

export function commandEventId(team: string, triggerId: string): string {
  return `${team}:command:${triggerId}`;
}

/** A command is no post and has no id of Slack's: this is what its answer refers to. */
export function commandId(triggerId: string): string {
  return `command:${triggerId}`;
}

/** A message that is still being streamed must be closed before it can be edited: its id says so. */
const STREAM = "stream:";

export function streamId(ts: string): string {
  return STREAM + ts;
}

export function parseShownId(id: string): { ts: string; stream: boolean } {
  const stream = id.startsWith(STREAM);
  return { ts: stream ? id.slice(STREAM.length) : id, stream };
}

/** Slack's message ids are times: seconds, a dot, six digits. */
export function isTs(text: string | null | undefined): text is string {
  return typeof text === "string" && /^\d{1,12}\.\d{1,6}$/.test(text);
}
