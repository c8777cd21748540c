import { WEB, webPersonOf } from "../policies/web-person.js";
import { platformConfig } from "../rules.js";
import { loginLink, newLoginCode } from "../sessions/web-login.js";
import type { Command, CommandCall, CommandOutcome } from "./command.js";

export const login: Command = {
  name: "login",
  description: "Get a link that signs you in to the web chat",
  group: "about",
  when: "now",
  run,
};

async function run(call: CommandCall): Promise<CommandOutcome> {
  const { gateway, message, principal } = call;
  const { web_chat, http } = gateway.config;
  if (!platformConfig(gateway.config, WEB)?.enabled) return { reply: "The web chat is turned off." };
  // Everyone in a room could use it.
  if (message.origin.chatType !== "dm")
    return { reply: "Ask me in a direct message: the link is for you only." };
  const person = await personOf(call);
  if (person === undefined)
    return { reply: "Sign in here first: send /login in another chat with me, and open the link." };
  const name = message.platform === WEB ? null : (message.origin.userName ?? null);
  const code = await newLoginCode(gateway.store, { person, name, owner: principal.owner ?? false });
  const url = web_chat.url ?? `http://${http.host}:${http.port}`;
  return {
    reply: `This link signs you in to the web chat, once, within ten minutes:\n${loginLink(url, code)}`,
  };
}

/** In the web chat, another device of the same person; undefined if they aren't signed in. */
async function personOf({ gateway, principal }: CommandCall): Promise<string | undefined> {
  const { platform, userId } = principal;
  if (platform !== WEB) return webPersonOf(`${platform}:${userId}`);
  const [person] = await gateway.store.listRecords({ platform, kind: "person", id: userId });
  return person?.id;
}
