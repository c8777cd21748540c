/**
 * A Mattermost server on this machine: REST v4 and the WebSocket, as far as a bot uses them. Posts that are written while
 * no socket is open are not pushed later, and `pending_post_id` is remembered for a while only, as on the real one.
 */
import { type RestAnswer, type RestRequest, RestServer } from "../rest-server.js";
import { Integrations } from "./integrations.js";
import { Sockets } from "./sockets.js";
import { type Channel, type Post, type User, World } from "./world.js";

export { actionsOf } from "./integrations.js";
export type { Channel, Post, User } from "./world.js";

export interface EmulatorOptions {
  /** How long a `pending_post_id` is remembered. */
  pendingMs?: number;
}

interface Route {
  method: string;
  path: RegExp;
  answer(request: RestRequest, id: string): RestAnswer;
}

const ok = (body: unknown): RestAnswer => ({ status: 200, body });
const SINCE_LIMIT = 1000;

export class MattermostEmulator {
  token = "t0ken".padEnd(26, "z");
  readonly world = new World();
  readonly server = new RestServer((request) => this.#answer(request));
  readonly sockets = new Sockets(this.server.http, (token) => token === this.token);
  readonly integrations = new Integrations(this.world);
  readonly typing: { channel_id?: unknown; parent_id?: unknown }[] = [];
  readonly #pending = new Map<string, { post: Post; atMs: number }>();
  readonly #pendingMs: number;

  constructor({ pendingMs = 30_000 }: EmulatorOptions = {}) {
    this.#pendingMs = pendingMs;
  }

  get url(): string {
    return this.server.url;
  }

  /** For `platforms.mattermost` in config.yaml. */
  get settings() {
    return { token: this.token, api_url: this.url };
  }

  async start(): Promise<this> {
    await this.server.start();
    return this;
  }

  async close(): Promise<void> {
    this.sockets.cut();
    await this.server.stop();
  }

  // ── people ────────────────────────────────────────────────────────────────────────────────────────────────────────

  dm(person: User): Channel {
    return this.world.channel("D", "", [person]);
  }

  /** In a room the bot is called by `@hermes`. */
  say(channel: Channel, from: User, message: string, more: Partial<Post> = {}): Post {
    const post = this.world.post(channel, from, message, more);
    const names = [...message.matchAll(/@(\w+)/g)].map(([, name]) => name);
    const mentioned = [...this.world.users.values()].filter(({ username }) => names.includes(username));
    const mentions = channel.type === "D" ? [this.world.bot.id] : mentioned.map(({ id }) => id);
    const list = mentions.length > 0 ? { mentions: JSON.stringify(mentions) } : {};
    this.#push("posted", post, { sender_name: `@${from.username}`, ...list });
    return post;
  }

  edit(post: Post, message: string): void {
    const at = this.world.now();
    Object.assign(post, { message, edit_at: at, update_at: at });
    this.#push("post_edited", post);
  }

  remove(post: Post): void {
    const at = this.world.now();
    Object.assign(post, { delete_at: at, update_at: at });
    this.#push("post_deleted", post);
  }

  /** What the bot has written in a channel, oldest first. */
  said(channel: Channel): Post[] {
    const { bot } = this.world;
    return this.chat(channel).filter((post) => post.user_id === bot.id);
  }

  chat(channel: Channel): Post[] {
    return this.world
      .inChannel(channel.id)
      .filter((post) => post.delete_at === 0)
      .reverse();
  }

  #push(event: string, post: Post, more: object = {}): void {
    const channel = this.world.channels.get(post.channel_id)!;
    const about = {
      channel_type: channel.type,
      channel_name: channel.name,
      channel_display_name: channel.name,
    };
    this.sockets.push(event, { ...about, ...more, post: JSON.stringify(post) }, channel.id);
  }

  // ── REST ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  readonly #routes: Route[] = [
    { method: "GET", path: /^\/users\/me$/, answer: () => ok(this.world.bot) },
    { method: "GET", path: /^\/users\/me\/channels$/, answer: () => ok(this.#channels()) },
    { method: "GET", path: /^\/users\/me\/teams$/, answer: () => ok(this.#teams()) },
    { method: "GET", path: /^\/commands$/, answer: ({ query }) => this.integrations.list(query) },
    { method: "POST", path: /^\/commands$/, answer: ({ json }) => this.integrations.create(json) },
    {
      method: "PUT",
      path: /^\/commands\/(\w+)$/,
      answer: ({ json }, id) => this.integrations.update(id, json),
    },
    { method: "GET", path: /^\/users\/(\w+)$/, answer: (_, id) => found(this.world.users.get(id)) },
    { method: "GET", path: /^\/channels\/(\w+)$/, answer: (_, id) => this.#channel(id) },
    { method: "GET", path: /^\/channels\/(\w+)\/posts$/, answer: ({ query }, id) => this.#list(id, query) },
    { method: "GET", path: /^\/posts\/(\w+)\/thread$/, answer: (_, id) => this.#thread(id) },
    { method: "GET", path: /^\/posts\/(\w+)$/, answer: (_, id) => found(this.#post(id)) },
    { method: "POST", path: /^\/posts$/, answer: ({ json }) => this.#create(json) },
    { method: "PUT", path: /^\/posts\/(\w+)\/patch$/, answer: ({ json }, id) => this.#patch(id, json) },
    { method: "DELETE", path: /^\/posts\/(\w+)$/, answer: (_, id) => this.#delete(id) },
    { method: "POST", path: /^\/users\/me\/typing$/, answer: ({ json }) => this.#type(json) },
    { method: "POST", path: /^\/files$/, answer: (request) => this.#upload(request) },
    { method: "GET", path: /^\/files\/(\w+)$/, answer: (_, id) => this.#download(id) },
  ];

  #answer(request: RestRequest): RestAnswer {
    if (request.headers.authorization !== `Bearer ${this.token}`)
      return failed(401, "api.context.session_expired.app_error", "Invalid or expired session");
    const path = request.path.replace(/^\/api\/v4/, "");
    for (const route of this.#routes) {
      const match = route.method === request.method ? route.path.exec(path) : null;
      if (match) return route.answer(request, match[1] ?? "");
    }
    return failed(404, "api.context.404.app_error", "There is nothing here");
  }

  #teams(): object[] {
    return this.integrations.teams.map((id) => ({ id, name: id }));
  }

  #channels(): object[] {
    const own = [...this.world.channels.values()].filter(({ members }) => members.includes(this.world.bot));
    return own.map((channel) => shown(channel));
  }

  #channel(id: string): RestAnswer {
    const channel = this.world.channels.get(id);
    return channel ? ok(shown(channel)) : failed(404, "store.sql_channel.get.app_error", "No such channel");
  }

  /** Without deleted posts, unless the list is of changes. */
  #list(channelId: string, query: URLSearchParams): RestAnswer {
    if (!this.world.channels.has(channelId)) return failed(403, "api.context.permissions.app_error", "No");
    const all = this.world.inChannel(channelId);
    const since = query.get("since");
    if (since !== null)
      return listOf(all.filter((post) => post.update_at > Number(since)).slice(0, SINCE_LIMIT));
    const size = Number(query.get("per_page") ?? 60);
    const kept = all.filter((post) => post.delete_at === 0);
    const before = query.get("before");
    const from = before === null ? Number(query.get("page") ?? 0) * size : kept.findIndex(isPost(before)) + 1;
    return listOf(kept.slice(from, from + size));
  }

  #thread(rootId: string): RestAnswer {
    const root = this.#post(rootId);
    if (!root) return found(undefined);
    const replies = this.world.inChannel(root.channel_id).filter(({ root_id: id }) => id === rootId);
    return listOf([root, ...replies.filter((post) => post.delete_at === 0)]);
  }

  #post(id: string): Post | undefined {
    const post = this.world.posts.get(id);
    return post?.delete_at === 0 ? post : undefined;
  }

  #create(json: Record<string, unknown>): RestAnswer {
    const { channel_id, message, root_id = "", props = {}, pending_post_id, file_ids = [] } = json;
    const channel = this.world.channels.get(String(channel_id));
    if (!channel || channel.readOnly)
      return failed(403, "api.context.permissions.app_error", "You do not have the appropriate permissions");
    if (String(message) === "" && (file_ids as string[]).length === 0)
      return failed(400, "model.post.is_valid.msg.app_error", "Invalid message");
    if (root_id !== "" && this.#post(String(root_id))?.root_id !== "")
      return failed(400, "api.post.create_post.root_id.app_error", "Invalid RootId parameter");
    const key = String(pending_post_id ?? "");
    const known = this.#pending.get(key);
    if (key !== "" && known && Date.now() - known.atMs < this.#pendingMs)
      return { status: 201, body: known.post };
    const post = this.world.post(channel, this.world.bot, String(message), {
      root_id: String(root_id),
      props: props as Record<string, unknown>,
      pending_post_id: key,
      file_ids: file_ids as string[],
    });
    this.#pending.set(key, { post, atMs: Date.now() });
    this.#push("posted", post, { sender_name: `@${this.world.bot.username}` });
    return { status: 201, body: post };
  }

  #patch(id: string, { message, props }: Record<string, unknown>): RestAnswer {
    const post = this.#post(id);
    if (!post) return found(undefined);
    const at = this.world.now();
    Object.assign(post, { edit_at: at, update_at: at });
    if (typeof message === "string") post.message = message;
    if (props) post.props = props as Record<string, unknown>;
    this.#push("post_edited", post);
    return ok(post);
  }

  #delete(id: string): RestAnswer {
    const post = this.#post(id);
    if (!post) return found(undefined);
    this.remove(post);
    return ok({ status: "OK" });
  }

  #type(json: Record<string, unknown>): RestAnswer {
    if (!this.world.channels.has(String(json.channel_id)))
      return failed(400, "api.context.invalid_body_param.app_error", "Invalid channel_id");
    this.typing.push(json);
    return ok({ status: "OK" });
  }

  /** One file per part, as FormData writes them. */
  #upload({ body, headers }: RestRequest): RestAnswer {
    const boundary = /boundary=(.+)$/.exec(headers["content-type"] ?? "")?.[1] ?? "";
    const parts = body.toString("latin1").split(`--${boundary}`);
    const infos = parts.flatMap((part) => {
      const [head = "", ...rest] = part.split("\r\n\r\n");
      const name = /name="files"; filename="([^"]*)"/.exec(head)?.[1];
      const type = /content-type: (.+)/i.exec(head)?.[1] ?? "";
      const content = Buffer.from(rest.join("\r\n\r\n").slice(0, -2), "latin1");
      return name === undefined ? [] : [this.world.file(name, type, content)];
    });
    return { status: 201, body: { file_infos: infos, client_ids: [] } };
  }

  #download(id: string): RestAnswer {
    const file = this.world.files.get(id);
    return file
      ? { status: 200, body: file.content, headers: { "content-type": file.mime_type } }
      : found(undefined);
  }
}

function shown({ id, type, name, lastPostAt }: Channel): object {
  return { id, type, name, display_name: name, last_post_at: lastPostAt };
}

function isPost(id: string) {
  return (post: Post) => post.id === id;
}

function listOf(posts: readonly Post[]): RestAnswer {
  return ok({
    order: posts.map(({ id }) => id),
    posts: Object.fromEntries(posts.map((post) => [post.id, post])),
  });
}

function found(value: unknown): RestAnswer {
  return value === undefined ? failed(404, "app.post.get.app_error", "Unable to get the post") : ok(value);
}

function failed(status: number, id: string, message: string): RestAnswer {
  return { status, body: { id, message, detailed_error: "", request_id: "r", status_code: status } };
}
