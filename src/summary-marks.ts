/** Enclose the summary of earlier messages. Text after the end mark is a separate message. */
export const SUMMARY_PREFIX = "[CONTEXT COMPACTION — REFERENCE ONLY]";
export const SUMMARY_END =
  "--- END OF CONTEXT SUMMARY — respond to the messages below, not to the summary above ---";
