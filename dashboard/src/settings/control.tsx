/** The form control of one setting. */
import type { SettingField } from "../../../src/http/dashboard/settings-types.js";
import { type Draft, shownValue, textOf } from "./values.js";

interface ControlProps {
  field: SettingField;
  id: string;
  draft: Draft | undefined;
  /** Id of the element with the error message. */
  fault: string | undefined;
  onText(text: string): void;
}

const LONG = /prompt|message|template/;

export function Control({ field, id, draft, fault, onText }: ControlProps) {
  const { kind, path, value } = field;
  if (kind === "other" || field.locked) return <ReadOnly field={field} />;
  const text = draft === undefined ? textOf(field) : "text" in draft ? draft.text : "";
  const onType = (event: { currentTarget: { value: string } }) => onText(event.currentTarget.value);
  const attributes = {
    id,
    class: "field",
    value: text,
    "aria-invalid": fault !== undefined,
    "aria-describedby": fault,
  };
  if (kind === "switch" || kind === "choice") {
    const words = kind === "switch" ? ["true", "false"] : (field.choices ?? []);
    return (
      <select {...attributes} onChange={onType}>
        {words.includes(text) ? null : <option value={text}>{text === "" ? "unset" : text}</option>}
        {words.map((word) => (
          <option key={word} value={word}>
            {word}
          </option>
        ))}
        {field.nullable && text !== "" ? <option value="">unset</option> : null}
      </select>
    );
  }
  if (kind === "secret")
    return (
      <>
        <p class="mono quiet">{value === false ? "not set" : "**** (set)"}</p>
        <input
          {...attributes}
          type="password"
          autocomplete="new-password"
          maxLength={10_000}
          placeholder={value === false ? "Set it" : "Replace it"}
          onInput={onType}
        />
      </>
    );
  if (kind === "list" || kind === "map" || text.includes("\n") || LONG.test(path))
    return (
      <textarea
        {...attributes}
        rows={Math.min(12, Math.max(2, text.split("\n").length))}
        placeholder={kind === "list" ? "One per line" : kind === "map" ? "name: value, one per line" : ""}
        onInput={onType}
      />
    );
  return (
    <input
      {...attributes}
      type="text"
      inputMode={kind === "number" ? "decimal" : "text"}
      placeholder={shownValue(field.default)}
      autocomplete="off"
      spellcheck={false}
      onInput={onType}
    />
  );
}

function ReadOnly({ field: { kind, path, value, source, locked } }: { field: SettingField }) {
  const shown = kind === "secret" ? (value === false ? "not set" : "**** (set)") : shownValue(value);
  return (
    <>
      <p class="mono setting-value">{shown}</p>
      <p class="quiet setting-hint">
        {locked && kind !== "other" ? (
          `Set by ${source}, which overrides config.yaml: change it there.`
        ) : (
          <>
            Too complex for this form: <code>hermes config edit</code>
            {path.startsWith("platforms.") ? null : (
              <>
                {" "}
                or <code>hermes config set {path} …</code>
              </>
            )}
          </>
        )}
      </p>
    </>
  );
}
