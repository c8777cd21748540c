/** Creating a formatter costs about a hundred times as much as using it, so formatters are cached. */
const formats = new Map<string, Intl.DateTimeFormat>();
const MAX_FORMATS = 64;

/** A cached `new Intl.DateTimeFormat(locale, options)`. Throws if the time zone is unknown. */
export function dateFormat(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = JSON.stringify([locale, options]);
  const known = formats.get(name);
  if (known) return known;
  const made = new Intl.DateTimeFormat(locale, options);
  // Drops the oldest entry: a Map keeps insertion order.
  if (formats.size >= MAX_FORMATS) formats.delete(formats.keys().next().value!);
  formats.set(name, made);
  return made;
}
