import { ANN, BOT, type Emulated } from "../emulated.js";
import { MattermostEmulator } from "./index.js";

export async function mattermost(): Promise<Emulated> {
  const emulator = await new MattermostEmulator().start();
  const ann = emulator.world.user("ann");
  const dm = emulator.dm(ann);
  return {
    name: "mattermost",
    settings: emulator.settings,
    isConnected: () => emulator.sockets.count > 0,
    say: (text) => void emulator.say(dm, ann, text),
    lines: () =>
      emulator.chat(dm).map(({ id, user_id, message }) => ({
        ...{ id, from: user_id === ann.id ? ANN : BOT, text: message, buttons: [] },
      })),
    close: () => emulator.close(),
  };
}
