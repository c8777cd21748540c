import { pathToFileURL } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
import { type HookRequest, type HookResponse, LOADED } from "./thread.js";

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

async function respond(handle: Handler, { id, event, context }: HookRequest): Promise<void> {
  try {
    const result = await handle(event, context);
    send({ id, result: result === undefined ? undefined : JSON.parse(JSON.stringify(result)) });
  } catch (error) {
    send({ id, error: errorText(error) });
  }
}

function send(response: HookResponse): void {
  port.postMessage(response);
}

function errorText(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

try {
  const handle = await load((workerData as { file: string }).file);
  port.on("message", (request: HookRequest) => void respond(handle, request));
  send({ id: LOADED, result: undefined });
} catch (error) {
  send({ id: LOADED, error: errorText(error) });
}
