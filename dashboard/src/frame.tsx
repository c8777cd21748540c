/** The frame around every page: navigation, connection status, theme switch and notices. */
import { useComputed, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { Icon, type IconName } from "./parts/icons.js";
import { Notices } from "./parts/notices.js";
import { ThemeSwitch } from "./parts/theme-switch.js";
import { connection, deadCount, pairingCount, questionCount } from "./state/live.js";
import { go, href, place } from "./state/router.js";

interface Entry {
  to: string;
  label: string;
  icon: IconName;
  count?: { value: number; what: string };
}

interface Group {
  label: string;
  entries: readonly Entry[];
}

function groups(): Group[] {
  const dead = { value: deadCount.value, what: "given up" };
  const open = { value: questionCount.value, what: "open" };
  const waiting = { value: pairingCount.value, what: "waiting" };
  return [
    {
      label: "Chats",
      entries: [
        { to: "/", label: "Overview", icon: "pulse" },
        { to: "/sessions", label: "Sessions", icon: "chat" },
        { to: "/messages", label: "Messages", icon: "path" },
        { to: "/dead", label: "Dead letters", icon: "letter", count: dead },
      ],
    },
    {
      label: "People",
      entries: [
        { to: "/people", label: "People", icon: "people", count: waiting },
        { to: "/questions", label: "Questions", icon: "question", count: open },
      ],
    },
    {
      label: "Agent",
      entries: [
        { to: "/tools", label: "Tools", icon: "tool" },
        { to: "/memory", label: "Memory", icon: "file" },
        { to: "/mcp", label: "MCP servers", icon: "plug" },
        { to: "/schedules", label: "Schedules", icon: "clock" },
        { to: "/hooks", label: "Hooks", icon: "hook" },
        { to: "/audit", label: "Audit", icon: "eye" },
        { to: "/usage", label: "Usage", icon: "bars" },
      ],
    },
    {
      label: "System",
      entries: [
        { to: "/platforms", label: "Platforms", icon: "plug" },
        { to: "/log", label: "Log", icon: "lines" },
        { to: "/backups", label: "Backups", icon: "archive" },
        { to: "/config", label: "Settings", icon: "sliders" },
      ],
    },
  ];
}

export function Frame({ children }: { children: ComponentChildren }) {
  const isOpen = useSignal(false);
  useShortcuts();
  // Close the menu after navigation.
  useEffect(() => {
    isOpen.value = false;
  }, [place.value.path]);
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class={isOpen.value ? "side open" : "side"}>
        <div class="side-head">
          <a class="brand" href={href("/")}>
            <img src="/dashboard/favicon.svg" alt="" width="28" height="28" />
            <span>
              Hermes<span class="brand-rest"> Gateway</span>
            </span>
          </a>
          <Connection />
          <button
            type="button"
            class="icon-button only-narrow"
            aria-label={isOpen.value ? "Close the menu" : "Open the menu"}
            aria-expanded={isOpen.value}
            aria-controls="menu"
            onClick={() => {
              isOpen.value = !isOpen.value;
            }}
          >
            <Icon name={isOpen.value ? "close" : "menu"} />
          </button>
        </div>
        <div class="side-body" id="menu">
          <nav aria-label="Pages">
            {groups().map((group) => (
              <NavGroup key={group.label} {...group} />
            ))}
          </nav>
          <div class="side-foot">
            <ThemeSwitch />
            <p class="foot-links">
              <a href="/">Web chat</a>
              <LogOut />
            </p>
          </div>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <Notices />
    </>
  );
}

function NavGroup({ label, entries }: Group) {
  const id = `nav-${label.toLowerCase()}`;
  return (
    <section class="nav-group">
      <p id={id}>{label}</p>
      <ul aria-labelledby={id}>
        {entries.map((entry) => (
          <NavEntry key={entry.to} {...entry} />
        ))}
      </ul>
    </section>
  );
}

function NavEntry({ to, label, icon, count }: Entry) {
  const { path } = place.value;
  const isHere = to === "/" ? path === "/" : path === to || path.startsWith(`${to}/`);
  return (
    <li>
      <a href={href(to)} aria-current={isHere ? "page" : undefined}>
        <Icon name={icon} />
        <span>{label}</span>
        {count && count.value > 0 ? (
          <span class="count">
            {count.value}
            <span class="unseen"> {count.what}</span>
          </span>
        ) : null}
      </a>
    </li>
  );
}

const CONNECTION = { connecting: "Connecting", live: "Live", lost: "Reconnecting" } as const;

function Connection() {
  const text = useComputed(() => CONNECTION[connection.value]);
  return (
    <p class="connection" role="status" data-state={connection.value}>
      <i aria-hidden="true" />
      {text}
    </p>
  );
}

function LogOut() {
  return (
    <form method="post" action="/logout">
      <button type="submit" class="link">
        Log out
      </button>
    </form>
  );
}

/** `/` opens the sessions page and focuses its search box. */
function useShortcuts(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const typing = (event.target as Element | null)?.closest("input, textarea, select, [contenteditable]");
      if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      if (place.value.path !== "/sessions") go("/sessions");
      requestAnimationFrame(() => document.getElementById("search")?.focus());
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}
