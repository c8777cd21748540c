/** Restarts the gateway if a supervisor starts it again; otherwise shows the command to run. */
import { useEffect, useState } from "preact/hooks";
import type { RestartAnswer } from "../../../src/http/dashboard/operations-types.js";
import { notifyError } from "../state/act.js";
import { post } from "../state/api.js";
import { useFetched } from "../state/fetched.js";
import { overview } from "../state/live.js";
import { Confirm } from "./confirm.js";
import { notify } from "./notices.js";

export function RestartButton() {
  const { data } = useFetched<RestartAnswer>("/restart");
  /** Start time of the gateway that is being stopped. */
  const [before, setBefore] = useState<number | undefined>();
  const startedAt = overview.value?.gateway.startedAt;
  const isBack = before !== undefined && startedAt !== undefined && startedAt !== before;
  useEffect(() => {
    if (!isBack) return;
    setBefore(undefined);
    notify("The gateway has restarted.");
  }, [isBack]);
  if (!data || startedAt === undefined) return null;
  if (before !== undefined) return <p role="status">Restarting…</p>;
  if (data.supervisor === null) return <Command command={data.command} />;
  const restart = async () => {
    try {
      await post("/restart", {});
      setBefore(startedAt);
    } catch (error) {
      notifyError(error);
    }
  };
  return (
    <Confirm
      what="Restart the gateway"
      question={`Running turns get time to finish, then ${data.supervisor} starts the gateway again. No message is lost.`}
      danger
      act={restart}
    />
  );
}

function Command({ command }: { command: string | null }) {
  return (
    <details class="restart">
      <summary>Restart the gateway</summary>
      {command === null ? (
        <p>This gateway is part of another program: restart that program.</p>
      ) : (
        <p>
          The gateway can’t restart itself, because no supervisor would start it again. Run this where you
          started it: <code class="anywhere">{command}</code>
        </p>
      )}
    </details>
  );
}
