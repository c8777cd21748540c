/** The built-in platforms, one line each. */
export { acp } from "./acp/platform.js";
export { apiServer } from "./api-server/platform.js";
export { cli } from "./cli/platform.js";
export { consolePlatform } from "./console/platform.js";
export { cron } from "./cron/platform.js";
export { discord } from "./discord/platform.js";
export { email } from "./email/platform.js";
export { matrix } from "./matrix/platform.js";
export { mattermost } from "./mattermost/platform.js";
export { slack } from "./slack/platform.js";
export { sms } from "./sms/platform.js";
export { telegram } from "./telegram/platform.js";
export { web } from "./web/platform.js";
export { webhook } from "./webhook/platform.js";
export { whatsapp } from "./whatsapp/platform.js";
