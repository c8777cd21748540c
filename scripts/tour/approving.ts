/** In the demo, the owner is at hand: a message with a pairing code gets a button that approves it. */
import type { Bubble, ChatClient } from "../../test/emulators/clients/client.js";

export const APPROVE = "Approve as the owner";
const CODE = /hermes pairing approve (\w{1,20}) ([A-Z0-9]{8})/;

export function withApproval(
  client: ChatClient,
  approve: (platform: string, code: string) => Promise<unknown>,
): ChatClient {
  const approved = new Set<string>();
  const withButton = (bubble: Bubble): Bubble => {
    const code = bubble.isBot ? CODE.exec(bubble.text)?.[2] : undefined;
    return code === undefined || approved.has(code) ? bubble : { ...bubble, buttons: [APPROVE] };
  };
  const chats = async () =>
    (await client.chats()).map((chat) => ({ ...chat, messages: chat.messages.map(withButton) }));
  return {
    ...client,
    chats,
    press: async (pressed) => {
      if (pressed.button !== APPROVE) return client.press?.(pressed);
      const messages = (await chats()).flatMap((chat) => chat.messages);
      const [, platform, code] =
        CODE.exec(messages.find(({ id }) => id === pressed.message)?.text ?? "") ?? [];
      if (platform === undefined || code === undefined) return;
      await approve(platform, code);
      approved.add(code);
    },
  };
}
