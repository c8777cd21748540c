import { platformName } from "../format.js";
import { useFetched } from "./fetched.js";

/** Platforms that have sessions, as options of a `Choice`. */
export function useSources(): { value: string; label: string }[] {
  const { data } = useFetched<{ sources: string[] }>("/sources");
  return (data?.sources ?? []).map((value) => ({ value, label: platformName(value) }));
}
