/** Making a formatter costs about a hundred times as much as using it: each is made once. */
const formats = new Map<string, Intl.DateTimeFormat>();
const MAX_FORMATS = 64;

/** `new Intl.DateTimeFormat(locale, options)`, kept. Throws, as that does, when the time zone is unknown. */
export function dateFormat(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = JSON.stringify([locale, options]);
  const known = formats.get(name);
  if (known) return known;
  const made = new Intl.DateTimeFormat(locale, options);
  // The oldest goes first: a Map keeps the order of insertion.
  if (formats.size >= MAX_FORMATS) formats.delete(formats.keys().next().value!);
  formats.set(name, made);
  return made;
}
