import type { Logger } from "@slack/web-api";

/** The SDK's own log holds what people wrote. It is thrown away; `onDebug` may look at it first. */
export function quietLogger(onDebug: (text: string) => void = () => undefined): Logger {
  const nothing = () => undefined;
  return {
    debug: (...words: unknown[]) => onDebug(String(words[0])),
    info: nothing,
    warn: nothing,
    error: nothing,
    setLevel: nothing,
    getLevel: () => "error" as ReturnType<Logger["getLevel"]>,
    setName: nothing,
  };
}
