/** The files of the message being written. */
import { useEffect, useRef } from "preact/hooks";
import { bytes } from "../../format.js";
import { Icon } from "../../parts/icons.js";
import { type Attachment, attachments, detach, retryUpload } from "../state/attachments.js";

export function Attachments() {
  if (attachments.value.length === 0) return null;
  return (
    <ul class="attachments" aria-label="Attached files">
      {attachments.value.map((one) => (
        <Attached key={one.id} one={one} />
      ))}
    </ul>
  );
}

function Attached({ one }: { one: Attachment }) {
  const { id, name, file, progress, upload, fault } = one;
  const isRunning = !upload && fault === undefined;
  return (
    <li class="attachment" data-state={fault ? "failed" : isRunning ? "running" : "done"}>
      <Preview one={one} />
      <span class="attachment-text">
        <span class="file-name">{name}</span>
        <span class="quiet">{fault ?? bytes(one.bytes)}</span>
        {isRunning ? <progress aria-label={`Uploading ${name}`} value={progress} max={1} /> : null}
      </span>
      {fault && file ? (
        <button type="button" class="link" onClick={() => retryUpload(one)}>
          Try again
        </button>
      ) : null}
      <button
        type="button"
        class="icon-button small"
        aria-label={`Remove ${name}`}
        onClick={() => detach(id)}
      >
        <Icon name="close" small />
      </button>
    </li>
  );
}

function Preview({ one: { file, upload } }: { one: Attachment }) {
  if (file?.type.startsWith("image/")) return <Thumbnail file={file} />;
  if (!file && upload?.picture) return <img src={upload.url} alt="" />;
  return <Icon name="file" />;
}

const SIDE = 96;

/** Drawn on a canvas because the Content-Security-Policy forbids `blob:` images. */
function Thumbnail({ file }: { file: File }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    let isUnmounted = false;
    createImageBitmap(file).then(
      (picture) => {
        if (!isUnmounted) cover(canvas.current, picture);
        picture.close();
      },
      // The browser can't decode the image: the file name is enough.
      () => undefined,
    );
    return () => {
      isUnmounted = true;
    };
  }, [file]);
  return <canvas ref={canvas} width={SIDE} height={SIDE} />;
}

function cover(canvas: HTMLCanvasElement | null, picture: ImageBitmap): void {
  const side = Math.min(picture.width, picture.height);
  const [x, y] = [(picture.width - side) / 2, (picture.height - side) / 2];
  canvas?.getContext("2d")?.drawImage(picture, x, y, side, side, 0, 0, SIDE, SIDE);
}
