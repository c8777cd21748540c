import { useEffect } from "preact/hooks";
import { blockedLeave, guardLeaving } from "../state/router.js";
import { Modal } from "./modal.js";

/** Asks before unsaved changes are lost: when another page of the dashboard is opened, or the tab is closed. */
export function LeaveGuard({ question }: { question: string }) {
  useEffect(() => {
    const endGuard = guardLeaving();
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", onUnload);
    return () => {
      endGuard();
      window.removeEventListener("beforeunload", onUnload);
    };
  }, []);
  const leave = blockedLeave.value;
  if (!leave) return null;
  const stay = () => {
    blockedLeave.value = undefined;
  };
  return (
    <Modal title="Leave without saving?" onClose={stay}>
      <p>{question}</p>
      <div class="dialog-buttons">
        <button type="button" class="button" onClick={stay}>
          Stay on this page
        </button>
        <button type="button" class="button danger" onClick={leave}>
          Discard and leave
        </button>
      </div>
    </Modal>
  );
}
