/** The gateway, with Pigeon beside the platforms that it brings along. */
import { HermesError, startGateway } from "hermes-gateway";
import { PigeonAdapter } from "./adapter.js";

const running = await startGateway({
  platforms: ({ config, log }) => {
    const pigeon = config.platforms.pigeon;
    if (!pigeon?.enabled) return {};
    const { token, api_url: url } = pigeon;
    if (token === null || url === null)
      throw new HermesError("invalid", "platforms.pigeon wants a token and an api_url");
    return { adapters: [new PigeonAdapter({ token, url, log })] };
  },
});
process.stdout.write(`Hermes Gateway is running: ${running.url}\n`);

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void running.stop());
