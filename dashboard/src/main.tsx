import { render } from "preact";
import { App } from "./app.js";
import { startLive } from "./state/live.js";
import { startRouter } from "./state/router.js";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/frame.css";
import "./styles/parts.css";
import "./styles/pages.css";
import "./styles/people.css";
import "./styles/settings.css";
import "./styles/operations.css";
import "./styles/markdown.css";
import "./styles/inform.css";
import "./styles/fit.css";

startRouter();
startLive();
render(<App />, document.getElementById("app")!);
