/** `hermes-gateway/plugin`: the gateway's API for plugins. Cheap to import. */
export * from "./adapters/adapter.js";
export { type Button, buttonsOf, readPress } from "./adapters/kit/buttons.js";
export { type Page, type PollingOptions, pollWithCursor } from "./adapters/kit/polling-loop.js";
export {
  type HttpFailure,
  httpSendError,
  networkSendError,
  type SendCall,
} from "./adapters/kit/send-errors.js";
export { singlePart } from "./adapters/kit/single-part.js";
export { keepSocketOpen, type LiveSocket, type SocketLoopOptions } from "./adapters/kit/socket-loop.js";
export { answerWebhook, type HmacCheck, isHmacOf, type WebhookRoute } from "./adapters/kit/webhook-route.js";
export {
  type Callback,
  definePlatform,
  type LoadedPlatform,
  type Platform,
  type PlatformDeps,
  type PlatformInput,
  type PlatformLog,
} from "./adapters/platform.js";
export type { Probe, ProbeOptions } from "./adapters/probe.js";
export { type ErrorCode, HermesError } from "./errors.js";
export { type Finding, found } from "./finding.js";
export type { InboundMessage, Origin, OutboundMessage, Principal, Target } from "./message.js";
export type { PluginContext } from "./plugins/load.js";
export type { Choice, OutboundQuestion, PressedChoice } from "./question.js";
export { type Part, type PartOptions, renderMarkdown } from "./text/parts.js";
export { plainParts, splitText } from "./text/plain.js";
