import { NEEDED_SCOPES, RECEIVING_SCOPES, SPARE_SCOPES, USEFUL_SCOPES } from "./scopes.js";

/** The app manifest, with all scopes and events that the adapter uses, for Socket Mode. */
export function slackManifest() {
  const command = {
    command: "/hermes",
    description: "Talk to Hermes: /hermes help",
    usage_hint: "help",
    should_escape: false,
  };
  return {
    display_information: { name: "Hermes" },
    features: {
      app_home: { messages_tab_enabled: true, messages_tab_read_only_enabled: false },
      bot_user: { display_name: "Hermes", always_online: true },
      slash_commands: [command],
    },
    oauth_config: {
      scopes: {
        bot: [...Object.keys({ ...NEEDED_SCOPES, ...RECEIVING_SCOPES, ...USEFUL_SCOPES }), ...SPARE_SCOPES],
      },
    },
    settings: {
      event_subscriptions: {
        bot_events: ["app_mention", "message.channels", "message.groups", "message.im", "message.mpim"],
      },
      interactivity: { is_enabled: true },
      socket_mode_enabled: true,
      org_deploy_enabled: false,
      token_rotation_enabled: false,
    },
  };
}
