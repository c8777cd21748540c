/** Twilio's calls to us, authenticated by a signature over our address and the fields of the body. */
import { withoutTrailing } from "../../trailing.js";
import { answerWebhook, isHmacOf, type WebhookCall } from "../kit/webhook-route.js";

export interface CallWebhook {
  /** Our address exactly as Twilio has it. */
  url: string;
  authToken: string;
  /** Undefined while we are not connected. */
  receive: ((form: URLSearchParams, query: URLSearchParams) => Promise<void>) | undefined;
}

const MAX_BODY_BYTES = 64 * 1024;
/** The answer is sent later, as a separate message. */
const NO_ANSWER = '<?xml version="1.0" encoding="UTF-8"?><Response/>';

export function answerCall(request: Request, { url, authToken, receive }: CallWebhook): Promise<Response> {
  return answerWebhook(request, {
    auth: { signature: (call) => isSigned(call, url, authToken) },
    parse: ({ url: { searchParams: query }, body }) => ({ form: formOf(body), query }),
    receive:
      receive &&
      (async ({ form, query }) => {
        await receive(form, query);
        return new Response(NO_ANSWER, { headers: { "content-type": "text/xml" } });
      }),
    maxBodyBytes: MAX_BODY_BYTES,
  });
}

export function isSigned(
  { headers, body }: Pick<WebhookCall, "headers" | "body">,
  url: string,
  authToken: string,
) {
  const given = headers.get("x-twilio-signature") ?? "";
  const fields = signedFields(formOf(body));
  const checks = addressesOf(url).map((address) =>
    isHmacOf({ secret: authToken, signed: [address, fields], given, algorithm: "sha1", encoding: "base64" }),
  );
  return given !== "" && checks.includes(true);
}

function formOf(body: Buffer): URLSearchParams {
  return new URLSearchParams(body.toString("utf8"));
}

/** Names and values, sorted by name, without anything between them. */
function signedFields(form: URLSearchParams): string {
  const names = [...new Set(form.keys())].sort();
  return names
    .map((name) =>
      [...new Set(form.getAll(name))]
        .sort()
        .map((value) => name + value)
        .join(""),
    )
    .join("");
}

/** Twilio signs with or without the port where it is the default one. Never a fragment, which only configures retries. */
function addressesOf(configured: string): string[] {
  const address = configured.split("#", 1)[0]!;
  const [, scheme, host, rest] = /^(https?):\/\/([^/?]*)(.*)$/s.exec(address) ?? [];
  if (scheme === undefined || host === undefined) return [address];
  const port = scheme === "https" ? ":443" : ":80";
  const bare = host.endsWith(port) ? host.slice(0, -port.length) : host;
  const hasOther = /:\d{1,5}$/.test(bare);
  return [address, ...(hasOther ? [] : [`${scheme}://${bare}${rest}`, `${scheme}://${bare}${port}${rest}`])];
}

const STATUS = "/status";

/** Where Twilio reports a message's status. Every call contains the part's name. */
export function statusUrl(webhookUrl: string, part: string): string {
  const [base = ""] = webhookUrl.split(/[?#]/, 1);
  return `${withoutTrailing(base, "/")}${STATUS}?n=${encodeURIComponent(part)}`;
}

export function statusPath(webhookPath: string): string {
  return withoutTrailing(webhookPath, "/") + STATUS;
}
