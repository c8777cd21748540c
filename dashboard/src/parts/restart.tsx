/** Restarts the gateway where something starts it again; elsewhere it says what to run. */
import { useEffect, useState } from "preact/hooks";
import type { RestartAnswer } from "../../../src/http/dashboard/operations-types.js";
import { post } from "../state/api.js";
import { useFetched } from "../state/fetched.js";
import { overview } from "../state/live.js";
import { Confirm } from "./confirm.js";
import { say } from "./notices.js";

export function RestartButton() {
  const { data } = useFetched<RestartAnswer>("/restart");
  /** When the gateway that is to end was started. */
  const [before, setBefore] = useState<number | undefined>();
  const startedAt = overview.value?.gateway.startedAt;
  const isBack = before !== undefined && startedAt !== undefined && startedAt !== before;
  useEffect(() => {
    if (!isBack) return;
    setBefore(undefined);
    say("The gateway has restarted.");
  }, [isBack]);
  if (!data) return null;
  if (before !== undefined) return <p role="status">Restarting…</p>;
  if (data.supervisor === null) return <Command command={data.command} />;
  const restart = async () => {
    try {
      await post("/restart", {});
      setBefore(startedAt ?? 0);
    } catch (error) {
      say((error as Error).message, "failed");
    }
  };
  return (
    <Confirm
      what="Restart"
      question={`Turns that run get time to end, then ${data.supervisor} starts the gateway again. No message is lost.`}
      danger
      act={restart}
    />
  );
}

function Command({ command }: { command: string | null }) {
  return (
    <details class="restart">
      <summary>Restart</summary>
      {command === null ? (
        <p>Another program runs this gateway: restart that one.</p>
      ) : (
        <p>
          Nothing starts the gateway again when it ends. Where it was started, run{" "}
          <code class="anywhere">{command}</code>
        </p>
      )}
    </details>
  );
}
