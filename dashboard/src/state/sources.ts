import { platformName } from "../format.js";
import { useFetched } from "./fetched.js";

/** Where sessions come from, for a choice. */
export function useSources(): { value: string; label: string }[] {
  const { data } = useFetched<{ sources: string[] }>("/sources");
  return (data?.sources ?? []).map((value) => ({ value, label: platformName(value) }));
}
