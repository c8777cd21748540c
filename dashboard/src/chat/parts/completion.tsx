/** The list of commands above the message box, shown while a command's name is being typed. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Me } from "../../../../src/adapters/web/api.js";
import { commands } from "../state/me.js";
import { composerText, fillComposer } from "./composer-text.js";

type Command = Me["commands"][number];

export interface CompletionState {
  matches: readonly Command[];
  selected: number;
  activeId: string | undefined;
  onKey(event: KeyboardEvent): boolean;
  onPick(command: Command): void;
}

const idOf = ({ name }: Command) => `command-${name}`;

export function useCompletion(): CompletionState {
  const selected = useSignal(0);
  /** The list stays closed for this text: Escape was pressed, or a pick inserted it. */
  const dismissed = useSignal<string | undefined>(undefined);
  const text = composerText.value;
  const name = /^\/([\w-]{0,40})$/.exec(text)?.[1]?.toLowerCase();
  const isWanted = name !== undefined && dismissed.value !== text;
  const matches = isWanted ? commands.value.filter((command) => command.name.startsWith(name)) : [];
  const index = Math.min(selected.value, Math.max(0, matches.length - 1));
  const current = matches[index];
  const onPick = (command: Command) => {
    const filled = command.usage ? `/${command.name} ` : `/${command.name}`;
    dismissed.value = filled;
    selected.value = 0;
    fillComposer(filled);
  };
  const onKey = (event: KeyboardEvent): boolean => {
    if (!current) return false;
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const isWhole = `/${current.name}` === text.toLowerCase();
    if (move) selected.value = (index + move + matches.length) % matches.length;
    else if (event.key === "Escape") dismissed.value = text;
    else if (!event.shiftKey && (event.key === "Tab" || (event.key === "Enter" && !isWhole))) onPick(current);
    else return false;
    event.preventDefault();
    return true;
  };
  return { matches, selected: index, activeId: current && idOf(current), onKey, onPick };
}

export function Completion({ matches, selected, onPick }: CompletionState) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[selected]?.scrollIntoView({ block: "nearest" });
  }, [selected, matches.length]);
  return (
    <div
      ref={list}
      class="completion"
      id="completion"
      role="listbox"
      aria-label="Commands"
      hidden={matches.length === 0}
    >
      {matches.map((command, i) => (
        <div
          key={command.name}
          id={idOf(command)}
          role="option"
          tabIndex={-1}
          aria-selected={i === selected}
          // Not `onClick`: preventing `pointerdown` keeps the focus in the message box.
          onPointerDown={(event) => {
            event.preventDefault();
            onPick(command);
          }}
        >
          <code>
            /{command.name} <span class="quiet">{command.usage}</span>
          </code>
          <span class="quiet">{command.description}</span>
        </div>
      ))}
    </div>
  );
}
