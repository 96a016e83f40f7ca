import type { ComponentProps } from "react";
import { isolated } from "../../platform/text/text-direction.js";

interface RowButtonProps extends ComponentProps<"button"> {
  label: string;
  /** The name of what the row is about, which readers of a single button hear, too. */
  of: string;
}

export const RowButton = ({ label, of, ...button }: RowButtonProps) => (
  <button type="button" aria-label={`${label}: ${isolated(of)}`} {...button}>
    {label}
  </button>
);
