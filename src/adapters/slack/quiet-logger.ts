import type { Logger } from "@slack/web-api";

/** The SDK logs message texts, so its log is discarded. `onDebug` sees each debug line first. */
export function quietLogger(onDebug: (text: string) => void = () => undefined): Logger {
  const discard = () => undefined;
  return {
    debug: (...words: unknown[]) => onDebug(String(words[0])),
    info: discard,
    warn: discard,
    error: discard,
    setLevel: discard,
    getLevel: () => "error" as ReturnType<Logger["getLevel"]>,
    setName: discard,
  };
}
