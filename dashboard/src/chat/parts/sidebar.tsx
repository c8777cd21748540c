/** The person's conversations, account and theme. */

import { computed } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Conversation } from "../../../../src/adapters/web/api.js";
import { Icon } from "../../parts/icons.js";
import { notify } from "../../parts/notices.js";
import { ThemeSwitch } from "../../parts/theme-switch.js";
import { errorText } from "../../state/api.js";
import { now } from "../../state/clock.js";
import {
  changeConversation,
  conversations,
  hasMore,
  isListLoaded,
  listFault,
  moreOfList,
  query,
  sectionsOf,
  showsArchived,
} from "../state/list.js";
import { features, me } from "../state/me.js";
import { exportUrl } from "../state/request.js";
import { conversationPath, onLink, place } from "../state/router.js";
import { showDialog } from "./dialogs.js";
import { Menu, type MenuItem } from "./menu.js";

interface SidebarProps {
  /** On phones, the sidebar is a drawer. */
  isOpen: boolean;
  onClose(): void;
}

export function Sidebar({ isOpen, onClose }: SidebarProps) {
  const closer = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isOpen) closer.current?.focus();
  }, [isOpen]);
  return (
    <nav
      class={isOpen ? "side open" : "side"}
      id="side"
      aria-label="Conversations"
      onKeyDown={(event) => {
        if (event.key === "Escape" && isOpen && !event.defaultPrevented) onClose();
      }}
    >
      <div class="side-head">
        <a class="brand" href="/" onClick={onLink}>
          <img src="/chat/favicon.svg" alt="" width="28" height="28" />
          Hermes
        </a>
        <button
          ref={closer}
          type="button"
          class="icon-button only-narrow"
          aria-label="Close the list of conversations"
          onClick={onClose}
        >
          <Icon name="close" />
        </button>
      </div>
      <a class="new-chat" href="/" onClick={onLink}>
        <Icon name="plus" />
        New chat
      </a>
      <label class="side-search">
        <span class="unseen">Search conversations</span>
        <Icon name="search" small />
        <input
          type="search"
          placeholder="Search"
          value={query.value}
          maxLength={200}
          onInput={(event) => {
            query.value = event.currentTarget.value;
          }}
        />
      </label>
      <List />
      <Foot />
    </nav>
  );
}

function List() {
  const isSearch = query.value.trim() !== "";
  const sections = isSearch
    ? [{ label: "Found", rows: conversations.value }]
    : sectionsOf(conversations.value, startOfDay.value);
  return (
    <div class="side-list">
      {showsArchived.value ? (
        <button
          type="button"
          class="link"
          onClick={() => {
            showsArchived.value = false;
          }}
        >
          ‹ Back from the archive
        </button>
      ) : null}
      {listFault.value ? <p class="side-note">{listFault.value}</p> : null}
      {isListLoaded.value && conversations.value.length === 0 ? (
        <p class="side-note">{nothing(isSearch)}</p>
      ) : null}
      {sections.map(({ label, rows }) => (
        <section key={label} aria-label={label}>
          {rows.length > 0 ? <h2>{label}</h2> : null}
          <ul>
            {rows.map((one) => (
              <Row key={one.id} one={one} />
            ))}
          </ul>
        </section>
      ))}
      {hasMore.value ? (
        <button type="button" class="link" onClick={() => void moreOfList()}>
          Show more
        </button>
      ) : null}
    </div>
  );
}

function nothing(isSearch: boolean): string {
  if (isSearch) return "Nothing found.";
  return showsArchived.value ? "The archive is empty." : "Your conversations appear here.";
}

/** Midnight in the browser's time zone, in epoch seconds. */
const startOfDay = computed(() => new Date(now.value * 1000).setHours(0, 0, 0, 0) / 1000);

function Row({ one }: { one: Conversation }) {
  const here = place.value;
  const isHere = here.page === "conversation" && here.id === one.id;
  return (
    <li class={isHere ? "row here" : "row"}>
      <a
        href={conversationPath(one.id)}
        aria-current={isHere ? "page" : undefined}
        title={one.title}
        onClick={onLink}
      >
        <span class="row-title">{one.title}</span>
        {one.snippet ? <span class="row-snippet">{one.snippet}</span> : null}
      </a>
      {one.busy ? <span class="busy-dot" role="img" aria-label="Answering" /> : null}
      <Menu label={`Actions for ${one.title}`} items={actionsOf(one)} class="row-menu" />
    </li>
  );
}

export function actionsOf(one: Conversation): MenuItem[] {
  const { id, pinned, archived } = one;
  const share: MenuItem[] = features.value.sharing
    ? [{ label: "Share", icon: "share", onPick: () => showDialog({ kind: "share", conversation: one }) }]
    : [];
  return [
    { label: "Rename", icon: "pencil", onPick: () => showDialog({ kind: "rename", conversation: one }) },
    {
      label: pinned ? "Unpin" : "Pin",
      icon: "pin",
      onPick: () => change(id, { pinned: !pinned }, pinned ? "Unpinned" : "Pinned"),
    },
    ...share,
    { label: "Export as Markdown", icon: "download", href: exportUrl(id, "md") },
    { label: "Export as JSON", icon: "download", href: exportUrl(id, "json") },
    {
      label: archived ? "Restore" : "Archive",
      icon: "archive",
      onPick: () => change(id, { archived: !archived }, archived ? "Restored" : "Archived"),
    },
    {
      label: "Delete",
      icon: "trash",
      danger: true,
      onPick: () => showDialog({ kind: "delete", conversation: one }),
    },
  ];
}

function change(id: string, changes: { pinned?: boolean; archived?: boolean }, done: string): void {
  changeConversation(id, changes).then(
    () => notify(done),
    (error: unknown) => notify(errorText(error), "failed"),
  );
}

function Foot() {
  const person = me.value?.person;
  const logins = me.value?.logins;
  const canSignIn = logins && (logins.link || logins.password || logins.oidc !== null);
  return (
    <div class="side-foot">
      {person?.signedIn || canSignIn ? (
        <button type="button" class="account" onClick={() => showDialog({ kind: "account" })}>
          <Icon name="person" />
          <span>{person?.signedIn ? (person.name ?? "Signed in") : "Sign in"}</span>
        </button>
      ) : null}
      <div class="foot-row">
        <ThemeSwitch />
        <span class="foot-links">
          <button
            type="button"
            class="link"
            onClick={() => {
              showsArchived.value = !showsArchived.value;
            }}
          >
            Archive
          </button>
          {person?.owner ? <a href="/dashboard">Dashboard</a> : null}
        </span>
      </div>
    </div>
  );
}
