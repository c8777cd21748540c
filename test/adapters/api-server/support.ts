import fs from "node:fs";
import path from "node:path";
import OpenAI from "openai";
import { type RunningGateway, startGateway } from "../../../src/main.js";
import { atEnd } from "../../support/at-end.js";
import { tempDir } from "../../support/temp.js";

export const KEYS = { laptop: "key-of-the-laptop", phone: "key-of-the-phone" };

/** A whole gateway in this process, with its HTTP side, as an API client finds it. */
export class ApiGateway {
  readonly home: string;
  readonly running: RunningGateway;

  private constructor(home: string, running: RunningGateway) {
    this.home = home;
    this.running = running;
  }

  static async start(yaml = "", env: Record<string, string> = {}): Promise<ApiGateway> {
    const home = path.join(tempDir(), "home");
    fs.mkdirSync(home, { mode: 0o700 });
    fs.writeFileSync(path.join(home, "config.yaml"), yaml || configWith());
    const running = await startGateway({
      env: { HERMES_HOME: home, HERMES_LOG_LEVEL: "silent", ...env },
      flags: { "http.port": 0 },
    });
    atEnd(() => running.stop());
    return new ApiGateway(home, running);
  }

  get url(): string {
    return this.running.url!;
  }

  get store() {
    return this.running.store;
  }

  client(key: string = KEYS.laptop, headers: Record<string, string> = {}): OpenAI {
    return new OpenAI({ apiKey: key, baseURL: `${this.url}/v1`, defaultHeaders: headers, maxRetries: 0 });
  }

  /** As any program would, without an SDK's good manners. */
  post(what: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${this.url}/v1/${what}`, {
      method: "POST",
      body: typeof body === "string" ? body : JSON.stringify(body),
      headers: { authorization: `Bearer ${KEYS.laptop}`, "content-type": "application/json", ...headers },
    });
  }

  async texts(sessionId: string): Promise<[string, unknown][]> {
    return (await this.store.getMessages(sessionId)).map(({ role, content }) => [role, content]);
  }
}

/** Both keys, and what else is given for the API server and the gateway. */
export function configWith(api = "", rest = ""): string {
  return `
session_reset: {mode: none}
${rest}
platforms:
  api_server:
    api_keys: {laptop: ${KEYS.laptop}, phone: ${KEYS.phone}}
    ${api}
`;
}

export function user(content: string): { role: "user"; content: string } {
  return { role: "user", content };
}
