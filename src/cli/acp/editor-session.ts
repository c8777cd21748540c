import type {
  ContentBlock,
  RequestPermissionOutcome,
  RequestPermissionRequest,
  SessionUpdate,
  StopReason,
} from "@agentclientprotocol/sdk";
import type { TerminalView } from "../../adapters/cli/index.js";
import type { GatewayEvent, TurnEnd } from "../../events.js";
import type { OutboundMessage } from "../../message.js";
import type { OutboundQuestion } from "../../question.js";
import type { LocalChat } from "../local/chat.js";
import { permissionOf, promptText, said, toolCall } from "./updates.js";

/** The editor, as one session sees it. Neither call rejects. */
export interface Editor {
  update(sessionId: string, update: SessionUpdate): void;
  /** Undefined if the question was not answered in time. */
  permission(request: RequestPermissionRequest): Promise<RequestPermissionOutcome | undefined>;
}

const CANCELLED: ReadonlySet<TurnEnd["outcome"]> = new Set(["interrupted", "stopped"]);

/** One editor session: its chat, and what the editor has seen of the running turn. */
export class EditorSession implements TerminalView {
  readonly id: string;
  readonly #editor: Editor;
  #chat!: LocalChat;
  /** Set while a prompt runs. Without one, nothing is shown. */
  #isRunning = false;
  #wantsCancel = false;
  /** Of the answer that is being written. */
  #sent = "";

  constructor(id: string, editor: Editor) {
    this.id = id;
    this.#editor = editor;
  }

  attach(chat: LocalChat): void {
    this.#chat = chat;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  async prompt(blocks: readonly ContentBlock[]): Promise<StopReason> {
    this.#isRunning = true;
    this.#wantsCancel = false;
    this.#sent = "";
    try {
      const outcome = await this.#chat.say(promptText(blocks));
      return outcome && CANCELLED.has(outcome) ? "cancelled" : "end_turn";
    } finally {
      this.#isRunning = false;
    }
  }

  cancel(): void {
    if (this.#isRunning && !this.#chat.interrupt()) this.#wantsCancel = true;
  }

  close(): Promise<void> {
    return this.#chat.close();
  }

  watch(event: GatewayEvent): void {
    if (!("sessionKey" in event) || event.sessionKey !== this.#chat.key || !this.#isRunning) return;
    if (event.type === "turn-started" && this.#wantsCancel) this.#chat.interrupt();
    if (event.type === "tool-started") this.#update(toolCall(event.callId, event.tool));
    if (event.type === "tool-ended") {
      const { callId: toolCallId, ok } = event;
      const status = ok ? "completed" : "failed";
      this.#update({ sessionUpdate: "tool_call_update", toolCallId, status });
    }
  }

  // ── what the chat shows ───────────────────────────────────────────────────────────────────────────────────────

  preview(_turnId: string, text: string): void {
    if (!text.startsWith(this.#sent)) return;
    this.#say(text.slice(this.#sent.length));
    this.#sent = text;
  }

  show(message: OutboundMessage): void {
    const { text, question, files = [] } = message;
    if (question) return void this.#ask(message, question);
    const whole = [text, ...files.map(({ name, path }) => `[${name}](file://${path})`)].join("\n\n");
    const isSame = whole.startsWith(this.#sent);
    this.#say(isSame ? whole.slice(this.#sent.length) : `\n\n${whole}`);
    this.#sent = "";
  }

  decide(): void {
    // The editor has answered it itself.
  }

  #say(text: string): void {
    if (text !== "") this.#update(said(text));
  }

  #update(update: SessionUpdate): void {
    if (this.#isRunning) this.#editor.update(this.id, update);
  }

  /** No answer means no. */
  async #ask(message: OutboundMessage, question: OutboundQuestion): Promise<void> {
    const outcome = await this.#editor.permission({
      sessionId: this.id,
      ...permissionOf(message.text, question),
    });
    if (outcome?.outcome === "cancelled") return this.cancel();
    const picked = outcome?.outcome === "selected" ? outcome.optionId : "deny";
    const choice =
      question.choices.find(({ id }) => id === picked) ??
      question.choices.find(({ style }) => style === "danger");
    if (!choice) return this.cancel();
    const { id: choiceId, label } = choice;
    // An answer that can't be stored would leave the turn waiting.
    await this.#chat.choose({ questionId: question.id, choiceId, label }).catch(() => this.cancel());
  }
}
