/** Default limits of tool calls. */

export const TOOL_TIMEOUT_MS = 120_000;
/** Longer output goes to a file: about 12,000 tokens are left. */
export const TOOL_MAX_CHARS = 50_000;
/** Timeout of `unavailable()`: a tool whose check times out isn't offered. */
export const AVAILABILITY_MS = 2000;
