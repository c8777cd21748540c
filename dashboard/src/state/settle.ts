import { useEffect, useRef, useState } from "preact/hooks";

/** The value once it has stayed the same for a moment: what is typed isn't searched letter by letter. */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

/** The newest value, but not more often than this: a busy gateway doesn't make every page ask without end. */
export function usePaced<T>(value: T, ms: number): T {
  const [paced, setPaced] = useState(value);
  const last = useRef(0);
  useEffect(() => {
    const update = () => {
      last.current = Date.now();
      setPaced(value);
    };
    const wait = last.current + ms - Date.now();
    if (wait <= 0) return update();
    const timer = setTimeout(update, wait);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return paced;
}
