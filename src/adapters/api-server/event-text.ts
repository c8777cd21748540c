/** A live answer → server-sent events, at the speed of the client: faster updates are merged. */
import { type Answer, answerOf, restOf } from "./answer.js";
import { ApiError } from "./errors.js";
import type { Exchange } from "./exchange.js";

/** Formats events for one of the APIs; each call gives whole events. */
export interface EventWriter {
  begin(): string;
  piece(delta: string): string;
  end(answer: Answer): string;
  fail(error: ApiError): string;
}

/** Proxies and clients close idle connections. */
const KEEP_ALIVE_MS = 15_000;
const KEEP_ALIVE = ": keep-alive\n\n";

export function eventStream(
  exchange: Exchange,
  writer: EventWriter,
  model: string,
  keepAliveMs = KEEP_ALIVE_MS,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let text = "";
  let shown = "";
  let end: Answer | ApiError | undefined;
  let over = false;
  let leave = () => {};
  let beat: NodeJS.Timeout | undefined;

  function stop(): void {
    clearInterval(beat);
    leave();
  }

  function pump(controller: ReadableStreamDefaultController<Uint8Array>): void {
    // enqueue() may call pull() before it returns.
    while (!over && (controller.desiredSize ?? 0) > 0) {
      const rest = unsaid();
      if (rest !== "") {
        shown += rest;
        controller.enqueue(encoder.encode(writer.piece(rest)));
      } else if (end) {
        over = true;
        stop();
        const last = end instanceof ApiError ? writer.fail(end) : writer.end(end);
        controller.enqueue(encoder.encode(last));
        controller.close();
      } else return;
    }
  }

  function unsaid(): string {
    if (end instanceof ApiError) return "";
    if (end) return restOf(shown, end.text);
    // A restarted turn writes other text: wait for its end.
    return text.startsWith(shown) ? text.slice(shown.length) : "";
  }

  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(writer.begin()));
      beat = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(KEEP_ALIVE));
      }, keepAliveMs);
      beat.unref();
      leave = exchange.follow(
        (written) => {
          text = written;
          pump(controller);
        },
        (finished) => {
          end = finished instanceof ApiError ? finished : answered(finished, exchange.sessionId, model);
          pump(controller);
        },
      );
    },
    pull: pump,
    cancel: stop,
  });
}

function answered(...given: Parameters<typeof answerOf>): Answer | ApiError {
  try {
    return answerOf(...given);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** The whole answer at once. Rejects with an ApiError. */
export function wholeAnswer(exchange: Exchange, model: string, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const leave = exchange.follow(
      () => {},
      (end) => {
        try {
          if (end instanceof ApiError) throw end;
          resolve(answerOf(end, exchange.sessionId, model));
        } catch (error) {
          reject(error);
        }
      },
    );
    // The turn continues: its answer goes to the history.
    signal.addEventListener("abort", () => {
      leave();
      reject(new ApiError(409, "client_left", "The client disconnected"));
    });
  });
}
