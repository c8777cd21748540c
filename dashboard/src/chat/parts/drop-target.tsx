import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { features } from "../state/me.js";
import { addFiles } from "./composer.js";

const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;

/** Files can be dropped anywhere on the page. */
export function DropTarget({ children }: { children: ComponentChildren }) {
  const isOver = useSignal(false);
  /** Nesting depth: children also fire `dragenter` and `dragleave`. */
  const depth = useRef(0);
  useEffect(() => {
    const move = (by: number) => (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth.current = Math.max(0, depth.current + by);
      isOver.value = depth.current > 0 && features.value.uploads;
    };
    const onEnter = move(1);
    const onLeave = move(-1);
    // Without this, the browser would navigate to the dropped file.
    const onOver = (event: DragEvent) => {
      if (hasFiles(event)) event.preventDefault();
    };
    const onDrop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      depth.current = 0;
      isOver.value = false;
      if (features.value.uploads) addFiles([...(event.dataTransfer?.files ?? [])]);
    };
    const listeners = { dragenter: onEnter, dragleave: onLeave, dragover: onOver, drop: onDrop };
    for (const [name, listener] of Object.entries(listeners))
      document.addEventListener(name, listener as EventListener);
    return () => {
      for (const [name, listener] of Object.entries(listeners))
        document.removeEventListener(name, listener as EventListener);
    };
  }, []);
  return (
    <>
      {children}
      {isOver.value ? <div class="drop">Drop files to attach them</div> : null}
    </>
  );
}
