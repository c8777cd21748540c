import { type Theme, theme } from "../state/theme.js";
import { Icon, type IconName } from "./icons.js";

const THEMES: readonly { value: Theme; label: string; icon: IconName }[] = [
  { value: "light", label: "Light", icon: "sun" },
  { value: "system", label: "System", icon: "screen" },
  { value: "dark", label: "Dark", icon: "moon" },
];

export function ThemeSwitch() {
  return (
    <fieldset class="theme">
      <legend class="unseen">Colours</legend>
      {THEMES.map(({ value, label, icon }) => (
        <label key={value} title={label}>
          <input
            type="radio"
            name="theme"
            value={value}
            checked={theme.value === value}
            onChange={() => {
              theme.value = value;
            }}
          />
          <Icon name={icon} small />
          <span class="unseen">{label}</span>
        </label>
      ))}
    </fieldset>
  );
}
