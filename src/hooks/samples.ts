/** Sample contexts for `hermes hooks test`. */

const PERSON = { platform: "web", user_id: "4711" };
const CHAT = { ...PERSON, chat_id: "4711", thread_id: "", chat_type: "dm" };
const SESSION = "20260616_091523_2e8c7d42";
const TRACE = { trace_id: "4bf92f3577b34da6a3ce929d0e0e4736" };
const TURN = { ...CHAT, session_id: SESSION, message: "What is the weather like?", ...TRACE };

const SAMPLES: Record<string, Record<string, unknown>> = {
  "gateway:startup": { platforms: ["web"] },
  "session:start": { ...PERSON, session_key: "agent:main:web:dm:4711", session_id: SESSION },
  "session:end": {
    ...PERSON,
    session_key: "agent:main:web:dm:4711",
    session_id: SESSION,
    reason: "manual",
  },
  "session:reset": {
    ...PERSON,
    session_key: "agent:main:web:dm:4711",
    session_id: SESSION,
    reason: "manual",
  },
  "session:compress": {
    platform: "web",
    session_id: "20260616_101523_77ab01cd",
    old_session_id: SESSION,
    compression_count: 1,
  },
  "agent:start": TURN,
  "agent:step": {
    ...PERSON,
    session_id: SESSION,
    iteration: 1,
    tool_names: ["session_search"],
    tools: [{ name: "session_search" }],
    ...TRACE,
  },
  "agent:end": { ...TURN, response: "Sunny.", outcome: "answered" },
};

export function sampleContext(event: string): Record<string, unknown> {
  const known = SAMPLES[event];
  if (known) return known;
  const command = event.split(":")[1] ?? "";
  return { ...CHAT, command, raw_command: command, args: "", raw_args: "", ...TRACE };
}
