/** The agent's notes, which an operator can add, edit and delete. */
import { useState } from "preact/hooks";
import type { MemoryAnswer } from "../../../src/http/dashboard/memory-types.js";
import { number } from "../format.js";
import { act } from "../state/act.js";
import { withQuery } from "../state/api.js";
import { useFetched } from "../state/fetched.js";
import { Confirm } from "./confirm.js";
import { LoadingOrFailed } from "./states.js";

interface NotesProps {
  title: string;
  /** Undefined: the notes that everyone shares. */
  person?: { platform: string; userId: string };
}

const NEW = -1;

export function Notes({ title, person }: NotesProps) {
  const fetched = useFetched<MemoryAnswer>(withQuery("/memory", { ...person }));
  const { data, reload } = fetched;
  /** The note being edited, and the list at the time the edit began. */
  const [editing, setEditing] = useState<{ at: number; from: MemoryAnswer }>();
  const save = async (from: MemoryAnswer, entries: string[], done: string) => {
    const body = { ...(person ? { person } : {}), entries, version: from.version };
    const saved = await act<MemoryAnswer>("/memory/save", body, done);
    reload();
    return saved !== undefined;
  };
  const saveNote = async (text: string) => {
    if (!editing) return;
    const { at, from } = editing;
    const entries = at === NEW ? [...from.entries, text] : from.entries.with(at, text);
    if (await save(from, entries, "The note was saved.")) setEditing(undefined);
  };
  return (
    <section class="card" aria-labelledby="notes">
      <div class="card-head">
        <h2 id="notes">{title}</h2>
        {data ? (
          <span class="quiet">
            {number(data.chars)} of {number(data.maxChars)} characters
          </span>
        ) : null}
      </div>
      <p class="quiet">
        The agent reads these notes at the start of each session, and changes them with its memory tool.
      </p>
      <LoadingOrFailed of={fetched} rows={2} />
      {data?.entries.length === 0 ? <p>Nothing is remembered yet.</p> : null}
      <ul class="rows notes">
        {data?.entries.map((entry, at) => (
          <li key={at}>
            {editing?.at === at ? (
              <Editor text={entry} onSave={saveNote} onCancel={() => setEditing(undefined)} />
            ) : (
              <>
                <p class="note">{entry}</p>
                <div class="letter-buttons">
                  <button type="button" class="button" onClick={() => setEditing({ at, from: data })}>
                    Edit<span class="unseen"> note {at + 1}</span>
                  </button>
                  <Confirm
                    what="Delete"
                    of={`note ${at + 1}`}
                    question="The agent forgets it."
                    danger
                    act={() => save(data, data.entries.toSpliced(at, 1), "The note was deleted.")}
                  />
                </div>
              </>
            )}
          </li>
        ))}
      </ul>
      {editing?.at === NEW ? (
        <Editor text="" onSave={saveNote} onCancel={() => setEditing(undefined)} />
      ) : data ? (
        <div class="action-buttons">
          <button type="button" class="button" onClick={() => setEditing({ at: NEW, from: data })}>
            Add a note
          </button>
        </div>
      ) : null}
    </section>
  );
}

interface EditorProps {
  text: string;
  onSave(text: string): Promise<void>;
  onCancel(): void;
}

function Editor({ text: before, onSave, onCancel }: EditorProps) {
  const [text, setText] = useState(before);
  const [busy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    await onSave(text);
    setBusy(false);
  };
  return (
    <form class="reply" onSubmit={(event) => void submit(event)}>
      <label class="labelled">
        <span>Note</span>
        <textarea
          class="field"
          rows={4}
          required
          maxLength={16_000}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <div class="letter-buttons">
        <button type="button" class="button" onClick={onCancel}>
          Cancel
        </button>
        <button type="submit" class="button primary" disabled={busy || text.trim() === ""}>
          Save the note
        </button>
      </div>
    </form>
  );
}
