import { withoutDirectionControls } from "../../platform/text-direction.js";

/**
 * A text that a person or a detector has stored, such as a name: its direction does not
 * reach what is shown beside it. Every such text is shown by this; in attributes and in
 * sentences of the catalogue it is `isolated`.
 */
export function StoredText({ children }: { children: string | null | undefined }) {
  return children && <bdi>{withoutDirectionControls(children)}</bdi>;
}
