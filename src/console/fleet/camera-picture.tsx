import { isolated } from "../../platform/text/text-direction.js";
import { pictureSource } from "../data/picture.js";
import { useMessages } from "../language/language.js";
import { CameraIcon } from "../shell/view-icons.js";

interface CameraPictureProps {
  name: string;
  /** The links to the picture: the one to show first, the original last. */
  links: readonly [string | null, string | null];
}

export function CameraPicture({ name, links }: CameraPictureProps) {
  const messages = useMessages();
  const source = pictureSource(links[0]) ?? pictureSource(links[1]);
  if (source)
    return (
      <img src={source} alt={messages.fleet.pictureOf(isolated(name))} loading="lazy" decoding="async" />
    );
  return <NoCameraPicture link={links[1] ?? links[0]} />;
}

/** In place of a camera's picture: where it is to be found, or that there is none. */
export function NoCameraPicture({ link }: { link: string | null }) {
  const messages = useMessages();
  return (
    <div className="no-picture">
      <CameraIcon />
      {link ? (
        <a href={link} target="_blank" rel="noreferrer">
          {messages.fleet.pictureElsewhere}
        </a>
      ) : (
        <span>{messages.fleet.noPicture}</span>
      )}
    </div>
  );
}
