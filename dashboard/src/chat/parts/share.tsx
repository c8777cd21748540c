/** Read-only links to a conversation as it is now. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Conversation, NewShare, Share, Shares } from "../../../../src/adapters/web/api.js";
import { moment } from "../../format.js";
import { at, get, post, remove } from "../state/request.js";
import { attempt, CopyAction } from "./actions.js";
import { Dialog } from "./dialogs.js";

const DAYS = [
  { days: 1, label: "1 day" },
  { days: 7, label: "7 days" },
  { days: 30, label: "30 days" },
  { days: 365, label: "1 year" },
];

const addressOf = ({ path }: Share) => new URL(path, window.location.origin).href;

export function ShareDialog({ conversation: { id, title } }: { conversation: Conversation }) {
  const shares = useSignal<Share[]>([]);
  const days = useSignal(7);
  useEffect(() => {
    void attempt(async () => {
      const { shares: all } = await get<Shares>("/shares");
      shares.value = all.filter(({ conversationId }) => conversationId === id);
    });
  }, [id]);
  const make = () =>
    attempt(async () => {
      const body: NewShare = { days: days.value };
      shares.value = [await post<Share>(at(id, "/shares"), body), ...shares.value];
    });
  const revoke = (share: Share) =>
    attempt(async () => {
      await remove(`/shares/${encodeURIComponent(share.id)}`);
      shares.value = shares.value.filter((one) => one.id !== share.id);
    });
  return (
    <Dialog title="Share the conversation">
      <p class="quiet">
        Anyone with the link can read “{title}” as it is now, without files. Later messages aren't part of it.
      </p>
      <div class="share-new">
        <label>
          Expires after
          <select
            class="field"
            value={days.value}
            onChange={(event) => {
              days.value = Number(event.currentTarget.value);
            }}
          >
            {DAYS.map((one) => (
              <option key={one.days} value={one.days}>
                {one.label}
              </option>
            ))}
          </select>
        </label>
        <button type="button" class="button primary" onClick={() => void make()}>
          Create a link
        </button>
      </div>
      <ul class="shares" aria-label="Links">
        {shares.value.map((share) => (
          <li key={share.id}>
            <input class="field" readOnly value={addressOf(share)} aria-label="Link" />
            <CopyAction text={addressOf(share)} label="Copy the link" />
            <span class="quiet">Until {moment(share.expiresAt)}</span>
            <button type="button" class="link" onClick={() => void revoke(share)}>
              Revoke
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
