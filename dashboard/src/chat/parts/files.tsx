import type { ChatFile } from "../../../../src/adapters/web/api.js";
import { bytes } from "../../format.js";
import { Icon } from "../../parts/icons.js";

/** Shows pictures, and other files as cards to download. */
export function Files({ files }: { files: readonly ChatFile[] }) {
  if (files.length === 0) return null;
  return (
    <ul class="files">
      {files.map((file) => (
        <li key={file.url}>{file.picture ? <Picture file={file} /> : <Card file={file} />}</li>
      ))}
    </ul>
  );
}

function Picture({ file: { url, name } }: { file: ChatFile }) {
  return (
    <a class="picture" href={url} target="_blank" rel="noopener">
      <img src={url} alt={name} loading="lazy" />
    </a>
  );
}

function Card({ file: { url, name, bytes: size } }: { file: ChatFile }) {
  return (
    <a class="file" href={url} download={name}>
      <Icon name="file" />
      <span class="file-name">{name}</span>
      <span class="quiet">{bytes(size)}</span>
    </a>
  );
}
