/** What is on an emulated Mattermost server: people, channels, posts, files. */

export interface User {
  id: string;
  username: string;
}

export interface Channel {
  id: string;
  type: "D" | "G" | "P" | "O";
  name: string;
  members: User[];
  lastPostAt: number;
  /** The bot may not post. */
  readOnly: boolean;
}

export interface Post {
  id: string;
  create_at: number;
  update_at: number;
  edit_at: number;
  delete_at: number;
  user_id: string;
  channel_id: string;
  root_id: string;
  message: string;
  type: string;
  props: Record<string, unknown>;
  file_ids: string[];
  pending_post_id: string;
  metadata: { files?: FileInfo[] };
}

export interface FileInfo {
  id: string;
  name: string;
  size: number;
  mime_type: string;
}

export class World {
  readonly bot: User;
  readonly users = new Map<string, User>();
  readonly channels = new Map<string, Channel>();
  /** Oldest first. */
  readonly posts = new Map<string, Post>();
  readonly files = new Map<string, FileInfo & { content: Buffer }>();
  #ids = 0;
  #lastMs = 0;

  constructor() {
    this.bot = this.user("hermes");
  }

  newId(): string {
    this.#ids += 1;
    return this.#ids.toString(36).padStart(26, "0");
  }

  /** Two posts never have the same time. */
  now(): number {
    this.#lastMs = Math.max(this.#lastMs + 1, Date.now());
    return this.#lastMs;
  }

  user(username: string): User {
    const user = { id: this.newId(), username };
    this.users.set(user.id, user);
    return user;
  }

  channel(type: Channel["type"], name: string, members: readonly User[]): Channel {
    const id = this.newId();
    const channel = { id, type, name, members: [this.bot, ...members], lastPostAt: 0, readOnly: false };
    this.channels.set(id, channel);
    return channel;
  }

  post(channel: Channel, from: User, message: string, more: Partial<Post> = {}): Post {
    const at = this.now();
    const { file_ids: fileIds = [] } = more;
    const files = fileIds.flatMap((id) => this.files.get(id) ?? []);
    const post: Post = {
      id: this.newId(),
      ...{ create_at: at, update_at: at, edit_at: 0, delete_at: 0, root_id: "", type: "" },
      ...{ user_id: from.id, channel_id: channel.id, message, props: {}, pending_post_id: "" },
      metadata: files.length > 0 ? { files: files.map(({ content: _, ...info }) => info) } : {},
      file_ids: [],
      ...more,
    };
    this.posts.set(post.id, post);
    channel.lastPostAt = at;
    return post;
  }

  file(name: string, mimeType: string, content: Buffer): FileInfo {
    const info = { id: this.newId(), name, size: content.length, mime_type: mimeType };
    this.files.set(info.id, { ...info, content });
    return info;
  }

  /** Newest first. */
  inChannel(channelId: string): Post[] {
    return [...this.posts.values()].filter((post) => post.channel_id === channelId).reverse();
  }
}
