import { copyText } from "../../platform/pages/copy-text.js";
import "./picture-actions.css";
import { useState } from "react";
import { useAlertTexts } from "../alerts/texts.js";
import { pictureSource } from "../data/picture.js";
import { addressOf } from "../navigation/location.js";
import { settings } from "../page-settings.js";
import { DownloadIcon } from "../shell/view-icons.js";

interface PictureActionsProps {
  alert: {
    id: string;
    url: string | null;
    proxiedUrl: string | null;
    annotatedUrl: string | null;
    clip: { url: string | null } | null;
    localCreatedAt: string;
    camera: { name: string };
  };
}

export function PictureActions({ alert }: PictureActionsProps) {
  const { picture: texts, clip } = useAlertTexts();
  const pictures = [
    {
      source: pictureSource(alert.url) ?? pictureSource(alert.proxiedUrl),
      label: texts.download,
      suffix: "",
    },
    { source: pictureSource(alert.annotatedUrl), label: texts.downloadDrawn, suffix: ` ${texts.drawn}` },
    { source: pictureSource(alert.clip?.url), label: clip.title, suffix: "" },
  ];
  return (
    <div className="picture-actions">
      {pictures.map(
        ({ source, label, suffix }) =>
          source && (
            <a key={label} className="button" href={source} download={fileNameOf(alert, suffix, source)}>
              <DownloadIcon /> {label}
            </a>
          ),
      )}
      <LinkCopy address={`${settings.publicUrl}${addressOf({ alert: alert.id })}`} />
    </div>
  );
}

function fileNameOf(
  { camera, localCreatedAt }: PictureActionsProps["alert"],
  suffix: string,
  source: string,
) {
  const time = localCreatedAt.slice(0, 19).replace("T", " ").replaceAll(":", ".");
  const extension = /\.\w+(?=\?)/.exec(source)?.[0] ?? "";
  return `${camera.name.replace(/[^\p{L}\p{N} _-]+/gu, "_")} ${time}${suffix}${extension}`;
}

/** A button that copies a link, or shows it where the browser does not copy. */
function LinkCopy({ address }: { address: string }) {
  const texts = useAlertTexts().picture;
  const [state, setState] = useState<"copied" | "shown">();
  const copy = async () => setState((await copyText(address)) ? "copied" : "shown");
  return (
    <>
      <button type="button" onClick={() => void copy()}>
        {texts.copyLink}
      </button>
      <span className="hint" role="status">
        {state === "copied" && texts.copied}
      </span>
      {state === "shown" && (
        <input
          readOnly
          // biome-ignore lint/a11y/noAutofocus: whoever wants the link copies it next.
          autoFocus
          aria-label={texts.link}
          value={address}
          onFocus={({ target }) => target.select()}
        />
      )}
    </>
  );
}
