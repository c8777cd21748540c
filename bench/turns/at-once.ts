import type { EchoLoop } from "./loops.js";

const MAX_WORKERS = 256;

/**
 * Sends `messages` to `sessions` at once; gives how many were answered a second. A worker has sessions of its own: a second
 * message to a busy session could join the running turn and would then get no answer of its own.
 */
export async function perSecondAtOnce(
  loop: EchoLoop,
  { first = 0, sessions, messages }: { first?: number; sessions: number; messages: number },
): Promise<number> {
  const workers = Math.min(sessions, MAX_WORKERS);
  const started = performance.now();
  const worker = async (own: number) => {
    let session = own;
    for (let i = own; i < messages; i += workers) {
      await loop.say(first + session);
      session = session + workers < sessions ? session + workers : own;
    }
  };
  await Promise.all(Array.from({ length: workers }, (_, own) => worker(own)));
  return (messages * 1000) / (performance.now() - started);
}
