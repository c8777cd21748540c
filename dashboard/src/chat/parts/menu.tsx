/** A button that opens a menu: arrows move, Escape and a click elsewhere close it. */
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Icon, type IconName } from "../../parts/icons.js";

export interface MenuItem {
  label: string;
  icon: IconName;
  danger?: boolean;
  /** Address of a download. */
  href?: string;
  onPick?(): void;
}

interface MenuProps {
  label: string;
  items: readonly MenuItem[];
  class?: string;
}

export function Menu({ label, items, class: className }: MenuProps) {
  const isOpen = useSignal(false);
  const button = useRef<HTMLButtonElement>(null);
  const close = (focus: boolean) => {
    isOpen.value = false;
    if (focus) button.current?.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class={`icon-button small ${className ?? ""}`}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        <Icon name="dots" />
      </button>
      {isOpen.value ? <Items label={label} items={items} anchor={button.current} onClose={close} /> : null}
    </>
  );
}

interface ItemsProps {
  label: string;
  items: readonly MenuItem[];
  anchor: HTMLElement | null;
  onClose(focus: boolean): void;
}

function Items({ label, items, anchor, onClose }: ItemsProps) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => place(box.current, anchor), [anchor]);
  useEffect(() => {
    box.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    const onPointer = (event: Event) => {
      const target = event.target as Node;
      if (!box.current?.contains(target) && !anchor?.contains(target)) onClose(false);
    };
    const onResize = () => onClose(false);
    document.addEventListener("pointerdown", onPointer);
    window.addEventListener("resize", onResize);
    return () => {
      document.removeEventListener("pointerdown", onPointer);
      window.removeEventListener("resize", onResize);
    };
  }, []);
  return (
    <div ref={box} class="menu" role="menu" aria-label={label} onKeyDown={(event) => onKey(event, onClose)}>
      {items.map(({ label: text, icon, danger, href, onPick }) =>
        href ? (
          <a key={text} role="menuitem" tabIndex={-1} href={href} download onClick={() => onClose(true)}>
            <Icon name={icon} small />
            {text}
          </a>
        ) : (
          <button
            key={text}
            type="button"
            role="menuitem"
            tabIndex={-1}
            class={danger ? "danger" : ""}
            onClick={() => {
              onClose(true);
              onPick?.();
            }}
          >
            <Icon name={icon} small />
            {text}
          </button>
        ),
      )}
    </div>
  );
}

/** Below the button, or above it where there is no room; always inside the window. */
function place(menu: HTMLElement | null, anchor: HTMLElement | null): void {
  if (!menu || !anchor) return;
  const from = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = menu;
  const left = Math.min(Math.max(8, from.right - width), window.innerWidth - width - 8);
  const below = from.bottom + 4;
  const top = below + height > window.innerHeight - 8 ? Math.max(8, from.top - height - 4) : below;
  menu.style.left = `${left}px`;
  menu.style.top = `${top}px`;
}

function onKey(event: KeyboardEvent, onClose: (focus: boolean) => void): void {
  const items = [...(event.currentTarget as Element).querySelectorAll<HTMLElement>("[role=menuitem]")];
  const index = items.indexOf(document.activeElement as HTMLElement);
  const moves: Record<string, number> = {
    ArrowDown: (index + 1) % items.length,
    ArrowUp: (index - 1 + items.length) % items.length,
    Home: 0,
    End: items.length - 1,
  };
  if (event.key === "Escape" || event.key === "Tab") onClose(true);
  else if (event.key in moves) items[moves[event.key]!]?.focus();
  else return;
  event.preventDefault();
  event.stopPropagation();
}
