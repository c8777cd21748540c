import { render } from "preact";
import { App } from "./app.js";
import { startRouter } from "./state/router.js";
import "../styles/base.css";
import "../styles/controls.css";
import "./styles/frame.css";
import "./styles/side.css";
import "./styles/messages.css";
import "./styles/sources.css";
import "./styles/composer.css";
import "./styles/dialogs.css";
import "./styles/motion.css";
import "../styles/markdown.css";

startRouter();
render(<App />, document.getElementById("app")!);
// The page is interactive now. A test compares this time with a budget.
performance.mark("interactive");
