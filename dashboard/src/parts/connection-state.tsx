/** Connection states of platforms and MCP servers. */
import type { Overview, PlatformHealth } from "../../../src/http/dashboard/types.js";
import { Badge, type Tone } from "./badges.js";
import { Icon } from "./icons.js";
import { Ago } from "./time.js";

const PLATFORM_STATES: Record<PlatformHealth["state"] | "off", [string, Tone]> = {
  ok: ["Connected", "good"],
  degraded: ["Degraded", "wait"],
  down: ["Down", "bad"],
  off: ["Disconnected", "quiet"],
};

export function PlatformState({ state }: { state: keyof typeof PLATFORM_STATES }) {
  const [label, tone] = PLATFORM_STATES[state];
  return <Badge tone={tone}>{label}</Badge>;
}

const MCP_STATES: Record<Overview["mcpServers"][number]["state"], [string, Tone]> = {
  ready: ["Ready", "good"],
  connecting: ["Connecting", "wait"],
  failing: ["Failing", "bad"],
  off: ["Off", "quiet"],
};

export function McpState({ state }: { state: keyof typeof MCP_STATES }) {
  const [label, tone] = MCP_STATES[state];
  return <Badge tone={tone}>{label}</Badge>;
}

export function LastProof({ at }: { at: number | null }) {
  return (
    <span class="quiet">
      {at === null ? (
        "no proof of life yet"
      ) : (
        <>
          last seen <Ago at={at} />
        </>
      )}
    </span>
  );
}

interface ReconnectProps {
  /** What is reconnected; for screen readers only. */
  of: string;
  busy: boolean;
  onClick(): void;
}

export function ReconnectButton({ of, busy, onClick }: ReconnectProps) {
  return (
    <button type="button" class="button" disabled={busy} onClick={onClick}>
      <Icon name="retry" small />
      {busy ? "Connecting…" : "Reconnect"}
      <span class="unseen"> {of}</span>
    </button>
  );
}
