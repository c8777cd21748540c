/** The buttons of a question. */
import { post } from "./api.js";
import { el } from "./dom.js";
import { newId } from "./ids.js";

/** `buttons` as the log has them. */
export function choices(buttons) {
  const problem = el("span", "problem");
  problem.setAttribute("role", "alert");
  const shown = buttons.map(({ label, style = "", data }) => {
    const button = el("button", style, label);
    button.type = "button";
    button.addEventListener("click", () => press(data, label));
    return button;
  });

  /** Enabled again afterwards: the page learns of the decision from the daemon. */
  async function press(data, label) {
    for (const button of shown) button.disabled = true;
    try {
      await post("/api/chat/presses", { id: newId(), button: data, text: label });
      problem.textContent = "";
    } catch (error) {
      problem.textContent = `Not sent: ${error.message}`;
    } finally {
      for (const button of shown) button.disabled = false;
    }
  }

  const group = el("div", "choices", ...shown, problem);
  group.setAttribute("role", "group");
  return group;
}
