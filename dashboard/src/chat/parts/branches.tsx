import { Icon } from "../../parts/icons.js";
import { isBusy, switchBranch, thread } from "../state/open.js";
import { forkAt } from "../state/thread.js";
import { attempt } from "./actions.js";

/** ‹ 2/3 ›: the versions of a message. */
export function Branches({ messageId }: { messageId: string }) {
  const fork = forkAt(thread.value, messageId);
  if (!fork || fork.branches.length < 2) return null;
  const { branches, current } = fork;
  const show = (index: number) => void attempt(() => switchBranch(branches[index]!.id));
  return (
    <fieldset class="branches">
      <legend class="unseen">Versions</legend>
      <button
        type="button"
        class="icon-button small"
        aria-label="Previous version"
        disabled={current === 0 || isBusy.value}
        onClick={() => show(current - 1)}
      >
        <Icon name="back" small />
      </button>
      <span>
        <span class="unseen">Version </span>
        {current + 1}/{branches.length}
      </span>
      <button
        type="button"
        class="icon-button small"
        aria-label="Next version"
        disabled={current === branches.length - 1 || isBusy.value}
        onClick={() => show(current + 1)}
      >
        <Icon name="chevron" small />
      </button>
    </fieldset>
  );
}
