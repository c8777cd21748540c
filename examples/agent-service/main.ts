/**
 * An agent service in forty lines, for `agent.backend: http` (docs/agents.md). It keeps the conversations itself: the gateway
 * sends only what is new, with the id of the session. Run it with `npx tsx examples/agent-service/main.ts`.
 */
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

interface Message {
  role: string;
  content: string;
}

const conversations = new Map<string, Message[]>();

/** Your agent goes here: call models and tools as you like, and yield text. */
async function* answer(conversation: readonly Message[]): AsyncGenerator<string> {
  const words = conversation.filter(({ role }) => role === "user");
  yield `Message ${words.length} of this conversation was: `;
  yield words.at(-1)?.content ?? "";
}

const server = createServer(async (request, response) => {
  const id = String(request.headers["x-hermes-session-id"] ?? "");
  if (request.method !== "POST" || request.url !== "/v1/chat/completions" || id === "")
    return response.writeHead(404).end();
  const { messages } = JSON.parse(await text(request)) as { messages: Message[] };
  const conversation = [...(conversations.get(id) ?? []), ...messages];
  conversations.set(id, conversation);
  response.writeHead(200, { "content-type": "text/event-stream" });
  let said = "";
  for await (const content of answer(conversation)) {
    said += content;
    response.write(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`);
  }
  conversation.push({ role: "assistant", content: said });
  response.end("data: [DONE]\n\n");
});

server.listen(Number(process.env.PORT ?? 9000), "127.0.0.1", () => {
  console.log(`listening on ${JSON.stringify(server.address())}`);
});
