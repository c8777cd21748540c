import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type {
  SettingField,
  SettingsAnswer,
  SettingsPreview,
} from "../../../src/http/dashboard/settings-types.js";
import { counted } from "../format.js";
import { LeaveGuard } from "../parts/leave-guard.js";
import { notify } from "../parts/notices.js";
import { Page } from "../parts/page.js";
import { Segmented } from "../parts/segmented.js";
import { Empty, Failed, LoadingOrFailed } from "../parts/states.js";
import { Review } from "../settings/review.js";
import { SettingRow } from "../settings/row.js";
import { changeOf, type Draft, textOf } from "../settings/values.js";
import { type ApiError, post, toApiError } from "../state/api.js";
import { useFetched } from "../state/fetched.js";
import { place, setQuery } from "../state/router.js";

export function ConfigPage() {
  const fetched = useFetched<SettingsAnswer>("/settings");
  const { data, reload } = fetched;
  return (
    <Page title="Settings">
      <p class="lead">
        The values in config.yaml, .env and the environment, and where each comes from. The gateway reads the
        files when it starts, so a change needs a restart.
      </p>
      {data ? <Settings answer={data} reload={reload} /> : null}
      <LoadingOrFailed of={fetched} rows={6} />
    </Page>
  );
}

type Drafts = Readonly<Record<string, Draft>>;

function Settings({ answer, reload }: { answer: SettingsAnswer; reload(): void }) {
  const [drafts, setDrafts] = useState<Drafts>({});
  const [preview, setPreview] = useState<SettingsPreview>();
  const [failed, setFailed] = useState<ApiError>();
  const changes = answer.fields.flatMap((field) => {
    const draft = drafts[field.path];
    return draft ? [changeOf(field, draft)] : [];
  });
  const onDraft = (field: SettingField, draft: Draft | undefined) => {
    const isSame = draft && "text" in draft && draft.text === textOf(field);
    const { [field.path]: _, ...others } = drafts;
    setDrafts(draft === undefined || isSame ? others : { ...others, [field.path]: draft });
    setPreview(undefined);
  };
  const request = async <T,>(path: string, then: (answer: T) => void) => {
    try {
      setFailed(undefined);
      then(await post<T>(path, { version: answer.version, changes }));
    } catch (thrown) {
      setFailed(toApiError(thrown));
    }
  };
  const review = () => request<SettingsPreview>("/settings/preview", setPreview);
  const write = () =>
    request<SettingsAnswer>("/settings/save", () => {
      setDrafts({});
      setPreview(undefined);
      notify("Saved. Restart the gateway to apply the changes.");
      reload();
    });
  const rereadFiles = () => {
    setFailed(undefined);
    setPreview(undefined);
    reload();
  };
  const isReviewed = preview !== undefined && preview.faults.length === 0;
  return (
    <>
      <Waiting answer={answer} />
      {failed ? (
        <Failed error={failed} retry={failed.status === 409 ? rereadFiles : () => void review()} />
      ) : null}
      {isReviewed ? (
        <Review changes={preview.changes} write={write} back={() => setPreview(undefined)} />
      ) : (
        <Form answer={answer} drafts={drafts} faults={preview?.faults ?? answer.faults} onDraft={onDraft} />
      )}
      {changes.length > 0 ? (
        <LeaveGuard question={`${counted(changes.length, "change")} will be lost.`} />
      ) : null}
      {changes.length > 0 && !isReviewed ? (
        <fieldset class="save-bar" aria-label="Changes">
          <span role="status">{counted(changes.length, "change")}</span>
          <button type="button" class="button" onClick={() => setDrafts({})}>
            Discard
          </button>
          <button type="button" class="button primary" onClick={() => void review()}>
            Review
          </button>
        </fieldset>
      ) : null}
    </>
  );
}

function Waiting({ answer: { fields } }: { answer: SettingsAnswer }) {
  const count = fields.filter(({ waits }) => waits).length;
  if (count === 0) return null;
  return (
    <p class="notice-line" role="status">
      {counted(count, "setting")} in the files {count === 1 ? "needs" : "need"} a restart to take effect:{" "}
      <code>hermes gateway restart</code>
    </p>
  );
}

type Faults = readonly { path: string; message: string }[];

interface FormProps {
  answer: SettingsAnswer;
  drafts: Drafts;
  faults: Faults;
  onDraft(field: SettingField, draft: Draft | undefined): void;
}

function Form({ answer, drafts, faults, onDraft }: FormProps) {
  const filter = place.value.query.get("find") ?? "";
  const all = place.value.query.get("show") === "all";
  const wanted = filter.trim().toLowerCase();
  const faultsAt = ({ path }: SettingField) =>
    faults.filter((fault) => fault.path === path || fault.path.startsWith(`${path}.`));
  const isShown = (field: SettingField) => {
    if (drafts[field.path] || faultsAt(field).length > 0) return true;
    if (wanted !== "") return `${field.path} ${field.description}`.toLowerCase().includes(wanted);
    return all || field.source !== "default";
  };
  const shown = answer.fields.filter(isShown);
  const elsewhere = faults.filter((fault) => !answer.fields.some((field) => faultsAt(field).includes(fault)));
  return (
    <>
      <div class="filters">
        <input
          class="field grow"
          type="search"
          aria-label="Find a setting"
          placeholder="Find a setting"
          value={filter}
          onInput={(event) => setQuery({ find: event.currentTarget.value })}
        />
        <Segmented
          label="Which settings"
          name="show"
          value={all ? "all" : "set"}
          options={[
            { value: "set", label: "Set by you" },
            { value: "all", label: "All" },
          ]}
          onChange={(value) => setQuery({ show: value === "all" ? "all" : undefined })}
        />
      </div>
      <p class="unseen" role="status">
        {counted(shown.length, "setting")}
      </p>
      {faults.length > 0 ? (
        <p class="setting-fault" role="alert">
          {counted(faults.length, "error")}: nothing can be saved before they are fixed.
        </p>
      ) : null}
      {elsewhere.map(({ path, message }) => (
        <p key={path + message} class="setting-fault">
          {path} {message}
        </p>
      ))}
      {[...sections(shown)].map(([name, fields]) => (
        <Section
          key={name}
          name={name}
          description={answer.sections[name]}
          count={fields.length}
          isOpen={!all || wanted !== "" || fields.some((field) => drafts[field.path])}
        >
          {() =>
            fields.map((field) => (
              <SettingRow
                key={field.path}
                field={field}
                section={name}
                draft={drafts[field.path]}
                faults={faultsAt(field).map(({ message }) => message)}
                onDraft={(draft) => onDraft(field, draft)}
              />
            ))
          }
        </Section>
      ))}
      {shown.length === 0 ? (
        <Empty title={wanted ? "No matching settings" : "Every setting has its default"}>
          {wanted
            ? undefined
            : "No value was set by a flag, a variable or config.yaml. “All” lists every setting."}
        </Empty>
      ) : null}
      {answer.ignored.length > 0 ? (
        <p class="quiet">
          Keys of Hermes Agent that the gateway doesn’t use:{" "}
          {answer.ignored.map(({ path }) => path).join(", ")}.
        </p>
      ) : null}
    </>
  );
}

/** Groups settings by section. Each platform is a section; keys without a section are in "general". */
function sections(fields: readonly SettingField[]): Map<string, SettingField[]> {
  const found = new Map<string, SettingField[]>();
  for (const field of fields) {
    const names = field.path.split(".");
    const depth = names[0] === "platforms" ? 2 : 1;
    const name = names.length > 1 ? names.slice(0, depth).join(".") : "general";
    found.set(name, [...(found.get(name) ?? []), field]);
  }
  return found;
}

interface SectionProps {
  name: string;
  description: string | undefined;
  count: number;
  isOpen: boolean;
  /** Rendered only while the section is open: there are hundreds of rows. */
  children: () => ComponentChildren;
}

function Section({ name, description, count, isOpen, children }: SectionProps) {
  const [open, setOpen] = useState(isOpen);
  useEffect(() => setOpen(isOpen), [isOpen]);
  return (
    <details
      class="card settings-section"
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <h2>{name}</h2>
        <span class="quiet">{description}</span>
        <span class="quiet amount">
          {count}
          <span class="unseen"> settings</span>
        </span>
      </summary>
      {open ? <div class="settings">{children()}</div> : null}
    </details>
  );
}
