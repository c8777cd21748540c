import { platformName } from "../format.js";
import { useFetched } from "../state/fetched.js";
import { place, setQuery } from "../state/router.js";
import { Choice } from "./segmented.js";

/** Filters a list by platform. The choice is in the address, as `name`. */
export function PlatformChoice({ name = "platform" }: { name?: string }) {
  const { data } = useFetched<{ sources: string[] }>("/sources");
  const platforms = (data?.sources ?? []).map((value) => ({ value, label: platformName(value) }));
  return (
    <Choice
      label="Platform"
      value={place.value.query.get(name) ?? ""}
      options={[{ value: "", label: "All platforms" }, ...platforms]}
      onChange={(value) => setQuery({ [name]: value })}
    />
  );
}
