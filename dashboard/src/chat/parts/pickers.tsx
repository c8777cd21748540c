/** Selects the model and the agent of this conversation. */

import type { Pickable } from "../../../../src/adapters/web/api.js";
import { notify } from "../../parts/notices.js";
import { errorText } from "../../state/api.js";
import { changeConversation } from "../state/list.js";
import { me } from "../state/me.js";
import { thread } from "../state/open.js";

export function Pickers() {
  const { models, agents } = me.value ?? {};
  const { model, agent } = thread.value;
  return (
    <div class="pickers">
      <Picker label="Agent" from={agents} chosen={agent} onPick={(name) => pick({ agent: name })} />
      <Picker label="Model" from={models} chosen={model} onPick={(name) => pick({ model: name })} />
    </div>
  );
}

interface PickerProps {
  label: string;
  from: Pickable | undefined;
  chosen: string | null;
  onPick(name: string | null): void;
}

function Picker({ label, from, chosen, onPick }: PickerProps) {
  if (!from || from.choices.length < 2) return null;
  const shown = chosen ?? from.default;
  const names = from.choices.map(({ name }) => name);
  return (
    <label class="picker">
      <span class="unseen">{label}</span>
      <select
        value={shown}
        title={from.choices.find(({ name }) => name === shown)?.description ?? label}
        onChange={(event) => {
          const { value } = event.currentTarget;
          onPick(value === from.default ? null : value);
        }}
      >
        {names.includes(shown) ? null : <option value={shown}>{shown}</option>}
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

async function pick(change: { model: string | null } | { agent: string | null }): Promise<void> {
  const before = thread.value;
  thread.value = { ...before, ...change };
  try {
    await changeConversation(before.id, change);
  } catch (error) {
    if (thread.value.id === before.id)
      thread.value = { ...thread.value, model: before.model, agent: before.agent };
    notify(errorText(error), "failed");
  }
}
