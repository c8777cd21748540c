/** Creates or edits a schedule. */
import { useState } from "preact/hooks";
import type { ShownSchedule } from "../../../src/http/dashboard/schedules-types.js";
import { act } from "../state/act.js";

interface FormProps {
  schedule?: ShownSchedule;
  /** The configured default. */
  timeZone: string;
  end(): void;
}

export function ScheduleForm({ schedule, timeZone, end }: FormProps) {
  const before = {
    name: schedule?.name ?? "",
    when: schedule?.when ?? "",
    prompt: schedule?.prompt ?? "",
    to: schedule?.to ?? "",
    timezone: schedule?.timeZone ?? "",
    missed: schedule?.missed ?? "run",
  };
  const [words, setWords] = useState(before);
  const [busy, setBusy] = useState(false);
  const save = async (event: Event) => {
    event.preventDefault();
    // Send only changed fields: sending `in 2h` again would count from now. An emptied field gets its default back.
    const changed = Object.entries(words)
      .filter(([key, value]) => value !== before[key as keyof typeof before])
      .map(([key, value]) => [key, value.trim()] as const)
      .filter(([, value]) => schedule || value !== "");
    setBusy(true);
    const path = schedule ? `/schedules/${encodeURIComponent(schedule.id)}/edit` : "/schedules/create";
    const done = await act(
      path,
      Object.fromEntries(changed),
      schedule ? "The schedule was changed." : "The schedule was added.",
    );
    setBusy(false);
    if (done) end();
  };
  const field = (key: "name" | "when" | "to" | "timezone", label: string, required = false) => (
    <label class="labelled">
      <span>{label}</span>
      <input
        class="field"
        required={required}
        maxLength={key === "to" ? 500 : 200}
        value={words[key]}
        onInput={(event) => setWords({ ...words, [key]: event.currentTarget.value })}
      />
    </label>
  );
  return (
    <form
      class="card schedule-form"
      aria-label={schedule ? `Edit ${schedule.name}` : "New schedule"}
      onSubmit={(event) => void save(event)}
    >
      <h2>{schedule ? `Edit ${schedule.name}` : "New schedule"}</h2>
      {field("when", "When: 0 9 * * 1-5, every 30m, in 2h, or 2026-06-17T09:00", true)}
      <label class="labelled">
        <span>Prompt: what the agent is asked</span>
        <textarea
          class="field"
          required
          rows={3}
          maxLength={20_000}
          value={words.prompt}
          onInput={(event) => setWords({ ...words, prompt: event.currentTarget.value })}
        />
      </label>
      {field("name", "Name (empty: the beginning of the prompt)")}
      {field("to", "Answers go to: telegram:12345, home, or local (only stored)")}
      {field("timezone", `Time zone (empty: ${timeZone})`)}
      <label class="labelled">
        <span>A run that was missed</span>
        <select
          class="field"
          value={words.missed}
          onChange={(event) => setWords({ ...words, missed: event.currentTarget.value as "run" | "skip" })}
        >
          <option value="run">runs later</option>
          <option value="skip">is skipped</option>
        </select>
      </label>
      <div class="action-buttons">
        <button type="button" class="button" onClick={end}>
          Cancel
        </button>
        <button type="submit" class="button primary" disabled={busy}>
          {schedule ? "Save" : "Add"}
        </button>
      </div>
    </form>
  );
}
