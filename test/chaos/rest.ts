/** Faults that all platforms with an HTTP API have in a storm. */
import type { Random } from "../../bench/random.js";
import type { RestAnswer, RestServer } from "../emulators/rest-server.js";
import { Armed, type EndFault, type FaultKind, nothing, type Platform } from "./platform.js";

export interface RestWeather {
  server: RestServer;
  start(): Promise<unknown>;
  close(): Promise<void>;
  /** The calls that post a message. */
  sends: { method: string; path: RegExp };
  limited(seconds: number): RestAnswer;
  duplicate(random: Random): EndFault;
  reorder(): EndFault;
  disconnect(random: Random): void;
}

type Parts = Pick<Platform, "begin" | "calm" | "unmet" | "unansweredAtMs" | "close">;

export function restWeather(weather: RestWeather): Parts {
  const { server, sends } = weather;
  const armed = new Armed();
  const lasting = new Set<EndFault>();
  let unmet: Platform["unmet"] = {};

  async function outage(): Promise<EndFault> {
    if (!server.isUp) return nothing;
    await weather.close();
    return async () => {
      if (!server.isUp) await weather.start();
    };
  }

  function ending(end: EndFault): EndFault {
    const once = () => {
      lasting.delete(once);
      return end();
    };
    lasting.add(once);
    return once;
  }

  function begin(kind: FaultKind, random: Random): Promise<EndFault> | EndFault {
    switch (kind) {
      case "duplicate":
        return ending(weather.duplicate(random));
      case "reorder":
        return ending(weather.reorder());
      case "outage":
        return outage();
      case "disconnect":
        weather.disconnect(random);
        return nothing;
      case "rate limit":
        server.arm(sends.method, sends.path, { kind: "answer", ...weather.limited(1) });
        return armed.add(kind);
      case "unknown send":
        server.arm(sends.method, sends.path, { kind: "drop_after" });
        return armed.add(kind);
      case "failed send":
        server.arm(
          sends.method,
          sends.path,
          random.chance(0.5)
            ? { kind: "drop_before" }
            : { kind: "answer", status: 502, body: { error: "Bad Gateway" } },
        );
        return armed.add(kind);
    }
  }

  return {
    begin,
    async calm() {
      unmet = armed.last(server.armed);
      server.clear();
      for (const end of [...lasting]) await end();
      if (!server.isUp) await weather.start();
    },
    get unmet() {
      return unmet;
    },
    unansweredAtMs: () => server.cutAtMs,
    close: weather.close,
  };
}
