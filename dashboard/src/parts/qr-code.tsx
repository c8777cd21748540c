/** Black on white in both themes: many phones can't read inverted codes. */
export function QrCode({ rows }: { rows: readonly string[] }) {
  const size = rows.length;
  const path = rows
    .flatMap((row, y) => Array.from(row, (cell, x) => (cell === "1" ? `M${x} ${y}h1v1h-1z` : "")))
    .join("");
  return (
    <svg
      class="qr"
      viewBox={`-4 -4 ${size + 8} ${size + 8}`}
      role="img"
      aria-label="QR code to link the account"
    >
      <rect x="-4" y="-4" width={size + 8} height={size + 8} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
