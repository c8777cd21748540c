/** A request's body → its fields and files. Parsed here, because Node 20's parser rejects grammY's multipart. */
import type { IncomingMessage } from "node:http";
import type { Payload, UploadedFile } from "./types.js";

export async function readBody(
  request: IncomingMessage,
): Promise<{ payload: Payload; files: UploadedFile[] }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const type = request.headers["content-type"] ?? "";
  const boundary = /boundary=([^;]+)/.exec(type)?.[1];
  if (boundary !== undefined) return parseMultipart(body, boundary);
  return { payload: body.length === 0 ? {} : (JSON.parse(body.toString()) as Payload), files: [] };
}

function parseMultipart(body: Buffer, boundary: string): { payload: Payload; files: UploadedFile[] } {
  const payload: Payload = {};
  const files: UploadedFile[] = [];
  for (const part of body.toString("latin1").split(`--${boundary}`).slice(1, -1)) {
    const [head = "", ...rest] = part.split("\r\n\r\n");
    const content = Buffer.from(rest.join("\r\n\r\n").replace(/\r\n$/, ""), "latin1");
    const field = attribute(head, "name");
    const name = attribute(head, "filename");
    if (name === undefined) payload[field ?? ""] = jsonOrText(content.toString());
    else files.push({ field: field ?? "", name, content });
  }
  return { payload, files };
}

function attribute(head: string, name: string): string | undefined {
  const match = new RegExp(`[;\\s]${name}=(?:"([^"]*)"|([^;\\r\\n]+))`).exec(head);
  return match?.[1] ?? match?.[2];
}

function jsonOrText(text: string): unknown {
  if (!/^[[{]|^(true|false|-?\d+)$/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
