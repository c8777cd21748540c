/** Discord's numbers that rules here depend on: named, so that pure code need not load the SDK. */

export const CHANNEL_TYPE = { dm: 1, groupDm: 3 } as const;
const THREAD_TYPES: readonly number[] = [10, 11, 12];

export function isThreadType(type: number | undefined): boolean {
  return type !== undefined && THREAD_TYPES.includes(type);
}

/** Voice and stage channels: people write in them, too. */
const VOICE_TYPES: readonly number[] = [2, 13];

export function isVoiceType(type: number): boolean {
  return VOICE_TYPES.includes(type);
}

/** Said by somebody; the others are Discord's own notices (joins, pins, boosts, "started a thread"). */
const SPOKEN_TYPES: readonly number[] = [0, 19, 20, 23];

export function isSpoken(type: number): boolean {
  return SPOKEN_TYPES.includes(type);
}

export const FLAG_VOICE = 1 << 13;
export const INTERACTION_COMMAND = 2;
export const CALLBACK_DEFERRED_MESSAGE = 5;
export const OPTION_STRING = 3;

/** Guilds, guild messages, direct messages, message content. */
export const INTENTS = (1 << 0) | (1 << 9) | (1 << 12) | (1 << 15);
