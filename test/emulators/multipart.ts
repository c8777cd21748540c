/** The fields and the file of a form, as a service reads them. */
export interface FormFile {
  name: string;
  type: string;
  content: Buffer;
}

export function readForm(
  body: Buffer,
  contentType: string,
): { fields: Record<string, string>; file: FormFile | undefined } {
  const boundary = /boundary=([^;\s]+)/.exec(contentType)?.[1] ?? "";
  const fields: Record<string, string> = {};
  let file: FormFile | undefined;
  for (const part of body.toString("latin1").split(`--${boundary}`).slice(1, -1)) {
    const [head = "", ...rest] = part.split("\r\n\r\n");
    const content = Buffer.from(rest.join("\r\n\r\n").slice(0, -2), "latin1");
    const name = /name="([^"]*)"/.exec(head)?.[1] ?? "";
    const filename = /filename="([^"]*)"/.exec(head)?.[1];
    if (filename === undefined) fields[name] = content.toString();
    else file = { name: filename, type: /content-type: (\S+)/i.exec(head)?.[1] ?? "", content };
  }
  return { fields, file };
}
