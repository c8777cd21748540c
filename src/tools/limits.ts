/** Limits of tool calls, where a tool doesn't set its own. */

export const TOOL_TIMEOUT_MS = 120_000;
/** Longer output goes to a file: about 12,000 tokens are left. */
export const TOOL_MAX_CHARS = 50_000;
/** For `unavailable()`: a tool that doesn't say so in time isn't offered. */
export const AVAILABILITY_MS = 2000;
