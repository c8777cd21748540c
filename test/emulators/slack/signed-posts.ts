/** The Events API over HTTP: signed requests to the app, acknowledged by status 200. */
import { createHmac } from "node:crypto";
import type { Deliveries, Delivery } from "./deliveries.js";

/** The app's request URL, or a function that handles its requests. */
export type Endpoint = string | ((request: Request) => Promise<Response>);

export function signature(secret: string, timestamp: string, body: string): string {
  return `v0=${createHmac("sha256", secret).update(`v0:${timestamp}:${body}`).digest("hex")}`;
}

export function signedRequest(url: string, secret: string, delivery: Delivery, now = Date.now()): Request {
  const form = delivery.type !== "events_api";
  const body = form ? new URLSearchParams(formFields(delivery)).toString() : JSON.stringify(delivery.payload);
  const timestamp = String(Math.floor(now / 1000));
  return new Request(url, {
    method: "POST",
    body,
    headers: {
      "content-type": form ? "application/x-www-form-urlencoded" : "application/json",
      "x-slack-request-timestamp": timestamp,
      "x-slack-signature": signature(secret, timestamp, body),
      ...(delivery.attempts > 1
        ? {
            "x-slack-retry-num": String(delivery.attempts - 1),
            "x-slack-retry-reason": delivery.retryReason === "timeout" ? "http_timeout" : "http_error",
          }
        : {}),
    },
  });
}

function formFields({ type, payload }: Delivery): Record<string, string> {
  if (type === "interactive") return { payload: JSON.stringify(payload) };
  return Object.fromEntries(Object.entries(payload).map(([name, value]) => [name, String(value)]));
}

export function postTo(endpoint: Endpoint, secret: string, deliveries: Deliveries) {
  const url = typeof endpoint === "string" ? endpoint : "http://app.invalid/slack/events";
  const ask = typeof endpoint === "string" ? fetch : endpoint;
  return (delivery: Delivery): boolean => {
    void ask(signedRequest(url, secret, delivery))
      .then(async (response) => {
        const body = await response.text();
        if (response.status === 200) deliveries.acknowledge(delivery.envelopeId, body);
        else deliveries.failed(delivery.envelopeId, "http_error");
      })
      .catch(() => deliveries.failed(delivery.envelopeId, "connection_failed"));
    return true;
  };
}
