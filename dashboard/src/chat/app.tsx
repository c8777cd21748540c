import type { ComponentChild } from "preact";
import { useEffect } from "preact/hooks";
import { Notices } from "../parts/notices.js";
import { Chat } from "./chat.js";
import { SharedPage } from "./parts/shared.js";
import { place } from "./state/router.js";
import { startChat } from "./state/start.js";

export function App() {
  return (
    <>
      {pageAt()}
      <Notices />
    </>
  );
}

function pageAt(): ComponentChild {
  const here = place.value;
  if (here.page === "shared") return <SharedPage secret={here.secret} />;
  return <StartedChat />;
}

/** Starting the chat gives this browser an identity, which a shared conversation doesn't need. */
function StartedChat() {
  useEffect(startChat, []);
  return <Chat />;
}
