import { useSignal } from "@preact/signals";
import type { ConfigAnswer } from "../../../src/http/dashboard/types.js";
import { counted } from "../format.js";
import { Badge, type Tone } from "../parts/badges.js";
import { Page } from "../parts/page.js";
import { Segmented } from "../parts/segmented.js";
import { Empty, Failed, Loading } from "../parts/states.js";
import { useFetched } from "../state/fetched.js";
import { place, setQuery } from "../state/router.js";

type Setting = ConfigAnswer["values"][number];

export function ConfigPage() {
  const { data, error, reload } = useFetched<ConfigAnswer>("/config");
  return (
    <Page title="Config">
      <p class="lead">What is in force, secrets masked, and where each value comes from.</p>
      {data ? <Settings config={data} /> : null}
      {!data && error ? <Failed error={error} again={reload} /> : null}
      {!data && !error ? <Loading rows={6} /> : null}
    </Page>
  );
}

function Settings({ config }: { config: ConfigAnswer }) {
  const filter = useSignal("");
  const all = place.value.query.get("show") === "all";
  const wanted = filter.value.trim().toLowerCase();
  const shown = config.values.filter(
    ({ path, source }) =>
      (all || wanted !== "" || source !== "default") && path.toLowerCase().includes(wanted),
  );
  return (
    <>
      <div class="filters">
        <input
          class="field grow"
          type="search"
          aria-label="Find a setting"
          placeholder="Find a setting"
          value={filter.value}
          onInput={(event) => {
            filter.value = event.currentTarget.value;
          }}
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
      {[...sections(shown)].map(([name, settings]) => (
        <section key={name} class="card" aria-labelledby={`section-${name}`}>
          <h2 id={`section-${name}`}>{name}</h2>
          <dl class="settings">
            {settings.map((setting) => (
              <SettingRow key={setting.path} setting={setting} section={name} />
            ))}
          </dl>
        </section>
      ))}
      {shown.length === 0 ? (
        <Empty title={wanted ? "No setting has such a name" : "Everything is as it comes"}>
          {wanted ? undefined : "No value was set by a flag, a variable or config.yaml."}
        </Empty>
      ) : null}
      {config.ignored.length > 0 ? (
        <p class="quiet">
          Keys of Hermes Agent that the gateway has no use for:{" "}
          {config.ignored.map(({ path }) => path).join(", ")}.
        </p>
      ) : null}
    </>
  );
}

/** Grouped by the part before the first dot; keys without a dot form one group. */
function sections(settings: readonly Setting[]): Map<string, Setting[]> {
  const found = new Map<string, Setting[]>();
  for (const setting of settings) {
    const name = setting.path.includes(".") ? setting.path.split(".", 1)[0]! : "general";
    found.set(name, [...(found.get(name) ?? []), setting]);
  }
  return found;
}

function SettingRow({ setting: { path, value, source }, section }: { setting: Setting; section: string }) {
  const name = path.startsWith(`${section}.`) ? path.slice(section.length + 1) : path;
  return (
    <div class="setting" data-path={path}>
      <dt class="mono">{name}</dt>
      <dd class="mono setting-value">{shownValue(value)}</dd>
      <dd>
        <Layer source={source} />
      </dd>
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

function shownValue(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "null");
}
