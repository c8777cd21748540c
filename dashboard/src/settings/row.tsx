import type { SettingField } from "../../../src/http/dashboard/settings-types.js";
import { Badge, type Tone } from "../parts/badges.js";
import { Control } from "./control.js";
import { type Draft, shownValue } from "./values.js";

interface RowProps {
  field: SettingField;
  section: string;
  draft: Draft | undefined;
  faults: readonly string[];
  onDraft(draft: Draft | undefined): void;
}

export function SettingRow({ field, section, draft, faults, onDraft }: RowProps) {
  const { path, description, kind, source, locked, waits } = field;
  const name = path.startsWith(`${section}.`) ? path.slice(section.length + 1) : path;
  const id = `setting-${path}`;
  const faultId = faults.length > 0 ? `${id}-fault` : undefined;
  const editable = kind !== "other" && !locked;
  const isSet = source !== "default" && editable;
  return (
    <div class="setting" data-path={path} data-changed={draft !== undefined || undefined}>
      <div class="setting-name">
        {editable ? (
          <label class="mono" for={id}>
            {name}
          </label>
        ) : (
          <p class="mono">{name}</p>
        )}
        <p class="quiet">{description}</p>
      </div>
      <div class="setting-control">
        <Control field={field} id={id} draft={draft} fault={faultId} onText={(text) => onDraft({ text })} />
        {draft && "removed" in draft ? (
          <p class="quiet">Will be removed from the file; then the default applies.</p>
        ) : null}
        {faultId ? (
          <p class="setting-fault" id={faultId} role="alert">
            {faults.join("; ")}
          </p>
        ) : null}
      </div>
      <div class="setting-facts">
        <Layer source={source} />
        {waits ? <Badge tone="wait">after a restart</Badge> : null}
        {kind === "secret" || (source === "default" && !draft) ? null : (
          <span class="quiet">
            default <span class="mono">{shownValue(field.default)}</span>
          </span>
        )}
        {draft ? (
          <button type="button" class="link" onClick={() => onDraft(undefined)}>
            Undo<span class="unseen"> the change to {path}</span>
          </button>
        ) : isSet ? (
          <button type="button" class="link" onClick={() => onDraft({ removed: true })}>
            {kind === "secret" ? "Remove" : "Use the default"}
            <span class="unseen"> of {path}</span>
          </button>
        ) : null}
      </div>
    </div>
  );
}

const LAYERS: readonly [RegExp, Tone][] = [
  [/^flag/, "wait"],
  [/^env/, "accent"],
  [/^config\.yaml/, "good"],
];

function Layer({ source }: { source: string }) {
  const tone = LAYERS.find(([pattern]) => pattern.test(source))?.[1] ?? "quiet";
  return <Badge tone={tone}>{source}</Badge>;
}
