/** Creating a formatter costs about a hundred times as much as using it, so formatters are cached. */
const formats = new Map<string, Intl.DateTimeFormat>();
const MAX_FORMATS = 64;

/** A cached `new Intl.DateTimeFormat(locale, options)`. Throws if the time zone is unknown. */
export function dateFormat(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = JSON.stringify([locale, options]);
  const cached = formats.get(name);
  if (cached) return cached;
  const format = new Intl.DateTimeFormat(locale, options);
  // Drops the oldest entry: a Map iterates in insertion order.
  if (formats.size >= MAX_FORMATS) formats.delete(formats.keys().next().value!);
  formats.set(name, format);
  return format;
}
