import { isolated } from "../../platform/text/text-direction.js";
import { pictureSource } from "../data/picture.js";
import { CameraIcon } from "../shell/view-icons.js";
import { useTexts } from "./texts.js";

interface CameraPictureProps {
  name: string;
  /** The links to the picture: the one to show first, the original last. */
  links: readonly [string | null, string | null];
}

export function CameraPicture({ name, links }: CameraPictureProps) {
  const texts = useTexts();
  const source = pictureSource(links[0]) ?? pictureSource(links[1]);
  if (source)
    return <img src={source} alt={texts.pictureOf(isolated(name))} loading="lazy" decoding="async" />;
  return <NoCameraPicture link={links[1] ?? links[0]} />;
}

/** In place of a camera's picture: where it is to be found, or that there is none. */
export function NoCameraPicture({ link }: { link: string | null }) {
  const texts = useTexts();
  return (
    <div className="no-picture">
      <CameraIcon />
      {link ? (
        <a href={link} target="_blank" rel="noreferrer">
          {texts.pictureElsewhere}
        </a>
      ) : (
        <span>{texts.noPicture}</span>
      )}
    </div>
  );
}
