/** What is on an emulated homeserver: rooms and their events, each with a place in one stream. */

export interface StoredEvent {
  type: string;
  event_id: string;
  sender: string;
  origin_server_ts: number;
  room_id: string;
  content: Record<string, unknown>;
  state_key?: string;
  unsigned: Record<string, unknown>;
  redacts?: string;
}

export interface Placed {
  pos: number;
  event: StoredEvent;
}

export interface Room {
  id: string;
  members: Map<string, string>;
  /** Invited, with who invited. */
  invited: Map<string, { by: string; direct: boolean; pos: number }>;
  /** Oldest first. */
  timeline: Placed[];
  state: Map<string, StoredEvent>;
}

export class World {
  readonly rooms = new Map<string, Room>();
  readonly accountData = new Map<string, { pos: number; content: Record<string, unknown> }>();
  readonly media = new Map<string, { type: string; content: Buffer }>();
  pos = 0;
  #ids = 0;
  #held: (() => void)[] | undefined;
  /** Called when there is news. */
  onNews: () => void = () => undefined;

  newId(sign: string): string {
    this.#ids += 1;
    return `${sign}${this.#ids.toString(36).padStart(8, "0")}:test.example`;
  }

  room(members: Record<string, string>): Room {
    const id = this.newId("!");
    const own = new Map(Object.entries(members));
    const room: Room = { id, members: own, invited: new Map(), timeline: [], state: new Map() };
    this.rooms.set(id, room);
    return room;
  }

  setState(room: Room, type: string, content: Record<string, unknown>): void {
    const event = this.#event(room, "@admin:test.example", type, content);
    room.state.set(type, { ...event, state_key: "" });
    this.#place(room, { ...event, state_key: "" });
  }

  put(
    room: Room,
    sender: string,
    type: string,
    content: Record<string, unknown>,
    more: Partial<StoredEvent> = {},
  ): StoredEvent {
    const event = { ...this.#event(room, sender, type, content), ...more };
    const place = () => this.#place(room, event);
    // What the bot sends is there at once.
    if (this.#held && sender !== "@hermes:test.example") this.#held.push(place);
    else place();
    return event;
  }

  #event(room: Room, sender: string, type: string, content: Record<string, unknown>): StoredEvent {
    const event_id = this.newId("$").split(":")[0]!;
    return { type, event_id, sender, content, origin_server_ts: Date.now(), room_id: room.id, unsigned: {} };
  }

  #place(room: Room, event: StoredEvent): void {
    this.pos += 1;
    room.timeline.push({ pos: this.pos, event });
    this.onNews();
  }

  /** From now on people's events are kept back. */
  hold(): void {
    this.#held ??= [];
  }

  /** They come now, the last first. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const place of held.reverse()) place();
  }

  redact(room: Room, sender: string, eventId: string): StoredEvent {
    const target = this.find(room, eventId);
    const redaction = this.put(room, sender, "m.room.redaction", { redacts: eventId }, { redacts: eventId });
    if (target) Object.assign(target, { content: {}, unsigned: { redacted_because: redaction } });
    return redaction;
  }

  find(room: Room, eventId: string): StoredEvent | undefined {
    return room.timeline.find(({ event }) => event.event_id === eventId)?.event;
  }
}
