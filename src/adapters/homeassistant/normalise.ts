/** States and their changes: what Home Assistant says → a message for the gateway. Pure. */
import type { InboundMessage } from "../../message.js";
import { shortLabel } from "../../text/choices.js";
import { isRecord } from "../kit/rest.js";
import { domainOf, EVENTS_CHAT, isEntityId, USER } from "./ids.js";

export const PLATFORM = "homeassistant";

export interface EntityState {
  entityId: string;
  state: string;
  /** As people call it. */
  name: string;
  attributes: Readonly<Record<string, unknown>>;
  /** Epoch milliseconds, by Home Assistant's clock. */
  changedMs: number;
  updatedMs: number;
  contextId: string;
}

/** The sender's clock decides about late messages: a change without a time is from now. */
export function readState(value: unknown, nowMs = Date.now()): EntityState | undefined {
  if (!isRecord(value) || !isEntityId(value.entity_id) || typeof value.state !== "string") return undefined;
  const attributes = isRecord(value.attributes) ? value.attributes : {};
  const { friendly_name: name } = attributes;
  const context = isRecord(value.context) ? value.context.id : undefined;
  const updatedMs = timeOf(value.last_updated) ?? nowMs;
  return {
    entityId: value.entity_id,
    state: value.state.slice(0, MAX_STATE),
    name: (typeof name === "string" && shortLabel(name, MAX_NAME)) || value.entity_id,
    ...{ attributes, updatedMs, changedMs: timeOf(value.last_changed) ?? updatedMs },
    contextId: typeof context === "string" ? context.slice(0, MAX_NAME) : "",
  };
}

/** What is pushed; `before` undefined if the entity is new. */
export function readChange(data: unknown): { before: EntityState | undefined; now: EntityState } | undefined {
  if (!isRecord(data)) return undefined;
  const now = readState(data.new_state);
  return now && { before: readState(data.old_state), now };
}

const MAX_STATE = 255;
const MAX_NAME = 200;

function timeOf(text: unknown): number | undefined {
  const ms = typeof text === "string" ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

// ── which changes matter ────────────────────────────────────────────────────────────────────────────────────────────

export interface Watched {
  domains: readonly string[];
  entities: readonly string[];
  ignored: readonly string[];
  /** Everything, if neither domains nor entities are listed. */
  all: boolean;
}

/** Our own notifications: reporting them would never end. */
const NEVER = "persistent_notification";

export function isWatched(entityId: string, { domains, entities, ignored, all }: Watched): boolean {
  const domain = domainOf(entityId);
  if (domain === NEVER || ignored.includes(entityId)) return false;
  if (domains.length === 0 && entities.length === 0) return all;
  return domains.includes(domain) || entities.includes(entityId);
}

export function watchesNothing({ domains, entities, all }: Watched): boolean {
  return domains.length === 0 && entities.length === 0 && !all;
}

/** So entities are called while Home Assistant restarts or a device is away. */
export function isGone(state: string): boolean {
  return state === "unavailable" || state === "unknown";
}

// ── messages ────────────────────────────────────────────────────────────────────────────────────────────────────────

const LATE = " (noticed late)";

export function messageOf(
  now: EntityState,
  before: string,
  account: string,
  isLate: boolean,
): InboundMessage {
  const { entityId, contextId, changedMs, updatedMs } = now;
  return {
    ...{ platform: PLATFORM, account },
    // One cause may change several entities.
    eventId: [contextId, entityId, updatedMs].join(":"),
    origin: {
      platform: PLATFORM,
      ...{ chatType: "channel", chatId: EVENTS_CHAT, chatName: "Home Assistant", threadId: null },
      ...{ userId: USER, userName: "Home Assistant" },
      messageId: `ha_${entityId}_${Math.floor(updatedMs / 1000)}`,
    },
    text: `[Home Assistant] ${sentenceOf(now, before)}${isLate ? LATE : ""}`,
    attachments: [],
    sentAt: changedMs / 1000,
    // The operator has chosen what is reported, and the token proves who reports it.
    ...{ mentioned: true, repliedToBot: false, threadWithBot: false, isBot: false, authenticated: true },
  };
}

type Sentence = (now: EntityState, was: string, is: string) => string;

const onOff: Sentence = ({ name, state }) => `${name}: turned ${state === "on" ? "on" : "off"}`;
const triggered = (state: string) => (state === "on" ? "triggered" : "cleared");

const SENTENCES: Readonly<Record<string, Sentence>> = {
  climate: ({ name, attributes }, was, is) =>
    `${name}: HVAC mode changed from '${was}' to '${is}' (current: ${shown(attributes.current_temperature)}, target: ${shown(attributes.temperature)})`,
  sensor: ({ name, attributes }, was, is) => {
    const unit = shortLabel(String(attributes.unit_of_measurement ?? ""), 20);
    return `${name}: changed from ${was}${unit} to ${is}${unit}`;
  },
  binary_sensor: ({ name, state }, was) => `${name}: ${triggered(state)} (was ${triggered(was)})`,
  light: onOff,
  switch: onOff,
  fan: onOff,
  alarm_control_panel: ({ name }, was, is) => `${name}: alarm state changed from '${was}' to '${is}'`,
};

const general: Sentence = ({ name, entityId }, was, is) =>
  `${name} (${entityId}): changed from '${was}' to '${is}'`;

/** A light that went away is neither on nor off. */
function sentenceOf(now: EntityState, before: string): string {
  const [was, is] = [shortLabel(before, MAX_STATE), shortLabel(now.state, MAX_STATE)];
  const isPlain = isGone(now.state) || isGone(before);
  const sentence = (isPlain ? undefined : SENTENCES[domainOf(now.entityId)]) ?? general;
  return sentence(now, was, is);
}

function shown(value: unknown): string {
  return typeof value === "number" || typeof value === "string" ? shortLabel(String(value), 20) : "?";
}
