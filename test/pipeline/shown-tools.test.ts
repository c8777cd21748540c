import { expect, it } from "vitest";
import type { ShownCall } from "../../src/adapters/adapter.js";
import type { Target } from "../../src/message.js";
import { TestGateway } from "../support/gateway.js";
import { inDm } from "../support/test-adapter.js";

it("a chat that renders tool calls itself is notified when each starts and ends", async () => {
  const shown: { chatId: string | null; call: ShownCall }[] = [];
  const gateway = await TestGateway.start({
    parts: ({ adapters: [adapter] }) => ({
      adapters: [
        Object.assign(adapter!, {
          showTool: ({ chatId }: Target, call: ShownCall) => void shown.push({ chatId, call }),
        }),
      ],
    }),
  });
  await gateway.ask(inDm("ann"), '!tool session_search {"query":"x"}');
  const call = { callId: "echo_0", tool: "session_search", args: '{"query":"x"}' };
  expect(shown).toMatchObject([
    { chatId: "dm-ann", call: { ...call, state: "running" } },
    { chatId: "dm-ann", call: { ...call, state: "done", seconds: expect.any(Number) } },
  ]);
});
