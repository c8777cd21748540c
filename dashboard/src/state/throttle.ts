import { useEffect, useRef, useState } from "preact/hooks";

/** Returns the value once it hasn't changed for `ms`, so that a search doesn't run at every keystroke. */
export function useDebounced<T>(value: T, ms: number): T {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return debounced;
}

/** Returns the newest value, updated at most every `ms`, so that pages don't refetch constantly on a busy gateway. */
export function useThrottled<T>(value: T, ms: number): T {
  const [throttled, setThrottled] = useState(value);
  const last = useRef(0);
  useEffect(() => {
    const update = () => {
      last.current = Date.now();
      setThrottled(value);
    };
    const wait = last.current + ms - Date.now();
    if (wait <= 0) return update();
    const timer = setTimeout(update, wait);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return throttled;
}
