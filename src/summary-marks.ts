/** Between these stands what a summary says of earlier messages; what follows is a message of its own. */
export const SUMMARY_PREFIX = "[CONTEXT COMPACTION — REFERENCE ONLY]";
export const SUMMARY_END =
  "--- END OF CONTEXT SUMMARY — respond to the messages below, not to the summary above ---";
