import { render } from "preact";
import { App } from "./app.js";
import { startLive } from "./state/live.js";
import { startRouter } from "./state/router.js";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/frame.css";
import "./styles/parts.css";
import "./styles/pages.css";
import "./styles/markdown.css";

startRouter();
startLive();
render(<App />, document.getElementById("app")!);
