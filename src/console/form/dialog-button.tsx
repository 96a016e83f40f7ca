import { type ComponentProps, type ReactNode, useState } from "react";
import { isolated } from "../../platform/text/text-direction.js";
import { isBeingWritten } from "./edit-form.js";

interface DialogButtonProps extends Omit<ComponentProps<"button">, "children"> {
  label: string;
  /** The name of what the row is about, which readers of a single button hear, too. */
  of?: string;
  /** Where the form in the dialog keeps what is typed: with that, it is open from the start. */
  draftKey?: string;
  children: (close: () => void) => ReactNode;
}

/** A button that opens a dialog. */
export function DialogButton({ label, of, draftKey, children, ...button }: DialogButtonProps) {
  const [isOpen, setOpen] = useState(() => draftKey !== undefined && isBeingWritten(draftKey));
  return (
    <>
      <button
        type="button"
        aria-label={of === undefined ? undefined : `${label}: ${isolated(of)}`}
        {...button}
        onClick={() => setOpen(true)}
      >
        {label}
      </button>
      {isOpen && children(() => setOpen(false))}
    </>
  );
}
