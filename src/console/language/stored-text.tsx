import { withoutDirectionControls } from "../../platform/text-direction.js";

/**
 * A text that a person or a detector stored, such as a name. Isolates its direction from
 * the text around it. Show every stored text with this component; in attributes and in
 * sentences of the catalogue, use `isolated`.
 */
export function StoredText({ children }: { children: string | null | undefined }) {
  return children && <bdi>{withoutDirectionControls(children)}</bdi>;
}
