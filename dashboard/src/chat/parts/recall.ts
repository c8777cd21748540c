/** In an empty message box, arrow-up recalls earlier messages; arrow-down goes forward. */
import { useRef } from "preact/hooks";
import { thread } from "../state/open.js";
import { composerText, writeText } from "./composer-text.js";

export interface Recall {
  /** Returns true if the key was handled. */
  onKey(event: KeyboardEvent): boolean;
  end(): void;
}

export function useRecall(): Recall {
  /** How many messages back; 0: none is recalled. */
  const back = useRef(0);
  return {
    end: () => {
      back.current = 0;
    },
    onKey: (event) => {
      const move = { ArrowUp: 1, ArrowDown: -1 }[event.key];
      if (move === undefined || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey)
        return false;
      if (back.current === 0 && (composerText.value !== "" || move < 0)) return false;
      const written = ownTexts();
      const next = back.current + move;
      if (next > written.length) return false;
      back.current = next;
      writeText(next === 0 ? "" : written.at(-next)!);
      event.preventDefault();
      return true;
    },
  };
}

function ownTexts(): string[] {
  return thread.value.messages.flatMap((one) => (one.from === "user" && one.text ? [one.text] : []));
}
