import { pathToFileURL } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
import { type Answer, LOADED, type Question } from "./thread.js";

/** Worker thread that loads one hook module and calls it. */
const port = parentPort!;
type Handler = (event: string, context: Record<string, unknown>) => unknown;

async function load(file: string): Promise<Handler> {
  const module = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  const handler = module.handle ?? module.default;
  if (typeof handler !== "function")
    throw new Error("The module must export a function `handle(event, context)`");
  return handler as Handler;
}

async function answer(handle: Handler, { id, event, context }: Question): Promise<void> {
  try {
    const result = await handle(event, context);
    reply({ id, result: result === undefined ? undefined : JSON.parse(JSON.stringify(result)) });
  } catch (error) {
    reply({ id, error: wordsOf(error) });
  }
}

function reply(words: Answer): void {
  port.postMessage(words);
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

try {
  const handle = await load((workerData as { file: string }).file);
  port.on("message", (question: Question) => void answer(handle, question));
  reply({ id: LOADED, result: undefined });
} catch (error) {
  reply({ id: LOADED, error: wordsOf(error) });
}
