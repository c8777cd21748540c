import type { ComponentChild } from "preact";
import { Frame } from "./frame.js";
import { AuditPage } from "./pages/audit.js";
import { BackupsPage } from "./pages/backups.js";
import { ConfigPage } from "./pages/config.js";
import { DeadPage } from "./pages/dead.js";
import { HooksPage } from "./pages/hooks.js";
import { LogPage } from "./pages/log.js";
import { McpPage } from "./pages/mcp.js";
import { MemoryPage } from "./pages/memory.js";
import { MessagesPage } from "./pages/messages.js";
import { OverviewPage } from "./pages/overview.js";
import { PeoplePage } from "./pages/people.js";
import { PersonPage } from "./pages/person.js";
import { PlatformsPage } from "./pages/platforms.js";
import { QuestionsPage } from "./pages/questions.js";
import { SchedulesPage } from "./pages/schedules.js";
import { SessionPage } from "./pages/session.js";
import { SessionsPage } from "./pages/sessions.js";
import { ToolsPage } from "./pages/tools.js";
import { TracePage } from "./pages/trace.js";
import { UsagePage } from "./pages/usage.js";
import { Page } from "./parts/page.js";
import { href, place } from "./state/router.js";

export function App() {
  return <Frame>{pageAt(place.value.path)}</Frame>;
}

function pageAt(path: string): ComponentChild {
  const [, first = "", second] = path.split("/").map(decodeURIComponent);
  switch (first) {
    case "":
      return <OverviewPage />;
    case "sessions":
      return second === undefined ? <SessionsPage /> : <SessionPage key={second} id={second} />;
    case "usage":
      return <UsagePage />;
    case "messages":
      return second === undefined ? <MessagesPage /> : <TracePage key={second} reference={second} />;
    case "audit":
      return <AuditPage />;
    case "dead":
      return <DeadPage />;
    case "people":
      return second === undefined ? <PeoplePage /> : <PersonPage key={second} person={second} />;
    // The address of older versions.
    case "pairing":
      return <PeoplePage />;
    case "questions":
      return <QuestionsPage />;
    case "memory":
      return <MemoryPage />;
    case "tools":
      return <ToolsPage />;
    case "schedules":
      return <SchedulesPage />;
    case "hooks":
      return <HooksPage />;
    case "backups":
      return <BackupsPage />;
    case "platforms":
      return <PlatformsPage />;
    case "mcp":
      return <McpPage />;
    case "log":
      return <LogPage />;
    case "config":
      return <ConfigPage />;
    default:
      return <NotFound />;
  }
}

function NotFound() {
  return (
    <Page title="Nothing here">
      <p class="lead">
        There is no such page. <a href={href("/")}>Go to the overview</a>.
      </p>
    </Page>
  );
}
