/** What an emulated Mattermost server calls the gateway for: pressed buttons and slash commands. It never calls twice. */
import type { RestAnswer } from "../rest-server.js";
import type { Channel, Post, User, World } from "./world.js";

interface Action {
  id: string;
  name: string;
  integration: { url: string; context: Record<string, unknown> };
}

interface Command {
  id: string;
  team_id: string;
  trigger: string;
  url: string;
  token: string;
  description: string;
}

export interface Call {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** The gateway's answer; undefined: none yet. */
  status?: number;
  answer?: Record<string, unknown>;
}

/** Built in: custom commands can't have these names. */
const BUILT_IN = ["help", "msg", "join", "leave"];

export function actionsOf({ props }: Pick<Post, "props">): Action[] {
  const attachments = (props.attachments ?? []) as { actions?: Action[] }[];
  return attachments.flatMap(({ actions = [] }) => actions);
}

export class Integrations {
  readonly teams = ["team".padEnd(26, "1")];
  readonly commands: Command[] = [];
  readonly calls: Call[] = [];
  /** Each call is made twice, as by an attacker who recorded it. */
  duplicate = false;
  /** The bot lacks the permission. */
  mayManageCommands = true;
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Ids of buttons have letters and digits only, on the real server too. */
  press(post: Post, label: string, by: User): void {
    const action = actionsOf(post).find(({ name, id }) => name === label && /^[a-z0-9]+$/i.test(id));
    if (!action) throw new Error(`There is no button "${label}"`);
    const { url, context } = action.integration;
    const body = {
      ...{ user_id: by.id, user_name: by.username, channel_id: post.channel_id, post_id: post.id },
      ...{ trigger_id: this.#trigger(), type: "", data_source: "", context },
    };
    this.call({ url, headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  }

  run(channel: Channel, by: User, trigger: string, text = "", rootId = ""): void {
    const command = this.commands.find((one) => one.trigger === trigger);
    if (!command) throw new Error(`There is no command /${trigger}`);
    const { token, url, team_id } = command;
    const fields = {
      ...{ token, team_id, channel_id: channel.id, channel_name: channel.name, root_id: rootId },
      ...{
        user_id: by.id,
        user_name: by.username,
        command: `/${trigger}`,
        text,
        trigger_id: this.#trigger(),
      },
    };
    const headers = { "content-type": "application/x-www-form-urlencoded", authorization: `Token ${token}` };
    this.call({ url, headers, body: new URLSearchParams(fields).toString() });
  }

  /** Makes a call as it is. */
  call({ url, headers, body }: Call): void {
    for (let copies = this.duplicate ? 2 : 1; copies > 0; copies--) {
      const made = { url, headers, body };
      this.calls.push(made);
      void this.#make(made);
    }
  }

  get acknowledged(): number {
    return this.calls.filter(({ status }) => status === 200).length;
  }

  async #make(call: Call): Promise<void> {
    const { url, headers, body } = call;
    try {
      const response = await fetch(url, { method: "POST", headers, body });
      const text = await response.text();
      call.answer = text.startsWith("{") ? JSON.parse(text) : {};
      call.status = response.status;
    } catch {
      call.status = 0;
    }
  }

  #trigger(): string {
    return Buffer.from(`${this.#world.newId()}:${Date.now()}:sig`).toString("base64");
  }

  // ── REST ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  list(query: URLSearchParams): RestAnswer {
    if (!this.mayManageCommands) return refused();
    return { status: 200, body: this.commands.filter(({ team_id }) => team_id === query.get("team_id")) };
  }

  create(json: Record<string, unknown>): RestAnswer {
    if (!this.mayManageCommands) return refused();
    const trigger = String(json.trigger);
    const isTaken = this.commands.some((one) => one.trigger === trigger && one.team_id === json.team_id);
    if (isTaken || BUILT_IN.includes(trigger)) {
      const id = "api.command.duplicate_trigger.app_error";
      return { status: 400, body: { id, message: "This trigger word is already in use" } };
    }
    const command = { ...json, id: this.#world.newId(), token: this.#world.newId() } as unknown as Command;
    this.commands.push(command);
    return { status: 201, body: command };
  }

  update(id: string, json: Record<string, unknown>): RestAnswer {
    const command = this.commands.find((one) => one.id === id);
    if (!command) return { status: 404, body: {} };
    return { status: 200, body: Object.assign(command, json) };
  }
}

function refused(): RestAnswer {
  return { status: 403, body: { id: "api.context.permissions.app_error", message: "No permission" } };
}
