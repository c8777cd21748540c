/** `hermes setup` in a real terminal, up to the list of models, as text with colours. */
import { execFileSync } from "node:child_process";
import path from "node:path";
import { ModelServer } from "../../test/emulators/model-server.js";
import { atEnd } from "../../test/support/at-end.js";
import { HERMES } from "../../test/support/daemon.js";
import { tempDir } from "../../test/support/temp.js";
import { until } from "../../test/support/until.js";

/** Ollama's own: the picture shows the address that setup offers. */
const OLLAMA_PORT = 11434;
const COLUMNS = 86;
const ROWS = 26;
const PATIENCE = { timeoutMs: 30_000 };

export async function setupScreen(): Promise<string> {
  const models = ["gemma3:12b", "llama3.3", "qwen3:8b"];
  const server = await ModelServer.start({ models, port: OLLAMA_PORT });
  atEnd(() => server.close());
  const socket = path.join(tempDir(), "tmux");
  const tmux = (...args: string[]) =>
    execFileSync("tmux", ["-S", socket, "-u", "-f", "/dev/null", ...args], {
      encoding: "utf8",
      env: { PATH: process.env.PATH, LC_ALL: "C.UTF-8" },
    });
  const home = path.join(tempDir(), "home");
  const size = ["-x", String(COLUMNS), "-y", String(ROWS)];
  tmux(
    "new-session",
    "-d",
    ...size,
    "-e",
    `HERMES_HOME=${home}`,
    `"${process.execPath}" "${HERMES}" setup; exec cat`,
  );
  atEnd(() => tmux("kill-server"));
  const sees = (text: string) =>
    until(`the terminal shows '${text}'`, () => tmux("capture-pane", "-p").includes(text), PATIENCE);
  await sees("Which service runs your model?");
  tmux("send-keys", ...Array<string>(6).fill("Down"), "Enter");
  await sees("Its address");
  tmux("send-keys", "Enter");
  await sees("Which model?");
  tmux("send-keys", "Down");
  await sees("● llama3.3");
  return tmux("capture-pane", "-p", "-e").replaceAll(home, "/home/you/.hermes").trimEnd();
}
