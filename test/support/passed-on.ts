/** What a program that a test starts takes over of the environment: nothing but where things are and what time it is. */
const NAMES = ["PATH", "TZ", "LD_PRELOAD", "FAKETIME", "FAKETIME_SHARED", "FAKETIME_DONT_FAKE_MONOTONIC"];

export function passedOn(): Record<string, string> {
  return Object.fromEntries(
    NAMES.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}
