/** A snippet with `>>>` and `<<<` around what was found. Everything stays text: nothing in it can act. */
export function Highlight({ text }: { text: string }) {
  const parts = text.split(/>>>([\s\S]*?)<<</);
  return <>{parts.map((part, i) => (i % 2 === 1 ? <mark key={i}>{part}</mark> : part))}</>;
}
