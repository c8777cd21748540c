import { sectionOf } from "../emulators/emulated.js";
import { BOT, MatrixEmulator, type Room } from "../emulators/matrix/index.js";
import type { Place, Platform } from "./platform.js";
import { restWeather } from "./rest.js";

/** The server's half hour, for a storm in which deaths are seconds apart: some restarts come too late for it. */
const TXN_MS = 1000;
/** So few that a burst leaves a gap. */
const TIMELINE = 3;

const PEOPLE = ["@ann:test.example", "@bob:test.example", "@cy:test.example"];
const NAMES = Object.fromEntries(PEOPLE.map((id) => [id, id.slice(1, 4)]));

export async function matrix(): Promise<Platform> {
  const emulator = await new MatrixEmulator({ txnMs: TXN_MS, timeline: TIMELINE }).start();
  const { world, server } = emulator;
  const hall = emulator.room(NAMES, "Hall");
  const talk = emulator.room(NAMES, "Talk");
  const root = emulator.say(talk, PEOPLE[0]!, "Let us talk here");
  const mention = { "m.mentions": { user_ids: [BOT] } };

  const seen = (room: Room) => () => emulator.said(room).map(({ text, atMs }) => ({ text, atMs }));
  const dm = (person: string): Place => {
    const room = emulator.room({ [person]: NAMES[person]! });
    const name = `dm ${person}`;
    const say = (_: number, text: string) => {
      emulator.say(room, person, text);
      return name;
    };
    return { name, people: 1, say, seen: seen(room) };
  };
  /** Each question there is answered in a thread of its own. */
  const room = (): Place => {
    const say = (person: number, text: string) => {
      const { event_id } = emulator.say(hall, PEOPLE[person]!, text, mention);
      return `hall ${event_id}`;
    };
    return { name: "hall", people: PEOPLE.length, say, seen: seen(hall) };
  };
  /** Once everybody has called the bot there, it listens to everything. */
  const thread = (): Place => {
    let said = 0;
    const inThread = { "m.relates_to": { rel_type: "m.thread", event_id: root.event_id } };
    const say = (person: number, text: string) => {
      emulator.say(talk, PEOPLE[person]!, text, { ...inThread, ...(said++ < PEOPLE.length ? mention : {}) });
      return "thread";
    };
    return { name: "thread", people: PEOPLE.length, say, seen: seen(talk) };
  };

  return {
    name: "matrix",
    config: sectionOf("matrix", emulator.settings),
    places: [dm(PEOPLE[0]!), dm(PEOPLE[1]!), room(), thread()],
    longChars: 40_000,
    numbersEvents: false,
    ...restWeather({
      server,
      start: () => emulator.start(),
      close: () => emulator.close(),
      sends: { method: "PUT", path: /\/send\/m\.room\.message\// },
      limited: (seconds) => ({
        status: 429,
        body: { errcode: "M_LIMIT_EXCEEDED", error: "Too Many Requests", retry_after_ms: seconds * 1000 },
      }),
      duplicate: () => {
        emulator.duplicate = true;
        return () => {
          emulator.duplicate = false;
        };
      },
      reorder: () => {
        world.hold();
        return () => world.release();
      },
      disconnect: () => server.cut(),
    }),
  };
}
