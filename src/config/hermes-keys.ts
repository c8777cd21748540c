/**
 * Keys of Hermes Agent's own `config.yaml` that mean nothing to the gateway. Both may live in one home, so these are
 * skipped (and reported by `config check`), while any other unknown key is a fault. `*` is any one name.
 */
const FOREIGN: readonly string[] = [
  ..."_config_version always_log_local browser checkpoints code_execution command_allowlist context".split(
    " ",
  ),
  ..."curator custom_providers default_reset_policy delegation fallback_model fallback_providers".split(" "),
  ..."file_read_max_chars filter_silence_narration hooks_auto_accept human_delay kanban logging".split(" "),
  ..."mcp memory network onboarding personalities prefill_messages_file privacy".split(" "),
  ..."prompt_caching provider_routing providers quick_commands reset_triggers security sessions_dir".split(
    " ",
  ),
  ..."session_store_max_age_days skills stt terminal tool_output tts updates voice".split(" "),
  "agent.gateway_auto_continue_freshness",
  "agent.gateway_notify_interval",
  "agent.gateway_timeout_warning",
  "agent.reasoning_effort",
  "agent.verbose",
  "approvals.*",
  "compression.codex_gpt55_autoraise",
  "cron.max_parallel_jobs",
  "cron.script_timeout_seconds",
  "display.busy_ack_detail",
  "display.busy_text_mode",
  "display.compact",
  "display.ephemeral_system_ttl",
  "display.interim_assistant_messages",
  "display.memory_notifications",
  "display.personality",
  "display.skin",
  "display.tool_progress_grouping",
  "gateway.*",
  "hooks.*",
  ...(
    "supports_parallel_tool_calls sampling elicitation transport ssl_verify client_cert client_key cwd " +
    "keepalive_interval idle_timeout_seconds max_lifetime_seconds protocol"
  )
    .split(" ")
    .map((key) => `mcp_servers.*.${key}`),
  ..."client_name flow redirect_host redirect_uri timeout"
    .split(" ")
    .map((key) => `mcp_servers.*.oauth.${key}`),
  "plugins.*",
  "platforms.*.gateway_restart_notification",
  "platforms.*.notice_delivery",
  "platforms.*.reply_prefix",
  "sessions.write_json_snapshots",
  "streaming.fresh_final_after_seconds",
  "web.*",
];

/** Exceptions: keys that the gateway reads. */
const OURS = new Set([
  ..."ask_in cron_mode deny destructive_slash_confirm mode timeout unattended_mode"
    .split(" ")
    .map((key) => `approvals.${key}`),
  "gateway.media_delivery_allow_dirs",
  "hooks.enabled",
  "hooks.timeout",
  "hooks.webhooks",
  "plugins.disabled",
  "plugins.enabled",
  "web.brave_api_key",
  "web.search_backend",
  "web.searxng_url",
  "web.tavily_api_key",
]);

/** Hermes Agent has a list under these names, the gateway a section. */
const FOREIGN_LISTS = new Set(["toolsets"]);

const PATTERNS = FOREIGN.map((key) => key.split("."));

export function isForeignKey(path: readonly PropertyKey[], value?: unknown): boolean {
  if (Array.isArray(value) && FOREIGN_LISTS.has(path.join("."))) return true;
  if (OURS.has(path.join("."))) return false;
  return PATTERNS.some(
    (pattern) =>
      pattern.length === path.length && pattern.every((name, i) => name === "*" || name === path[i]),
  );
}
