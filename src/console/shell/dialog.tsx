import "./dialog.css";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { noteClosing } from "../keyboard/shortcuts.js";
import { useMessages } from "../language/language.js";
import { CloseIcon } from "./icons.js";

interface DialogProps {
  title: string;
  onClose: () => void;
  /** Asked before the reader closes the dialog. False keeps it open. */
  mayClose?: () => boolean;
  children: ReactNode;
}

/** What has the focus first, rather than the button that closes the dialog. */
const firstField =
  ":is(input:not([type=hidden], [type=checkbox], [type=radio]:not(:checked)), select, textarea):not(:disabled, [readonly])";

/** A dialog in front of everything else while it is rendered. Escape or a click beside it closes it. */
export function Dialog({ title, onClose, mayClose = () => true, children }: DialogProps) {
  const messages = useMessages();
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    dialog.current?.showModal();
    if (document.activeElement === dialog.current?.querySelector("button"))
      dialog.current?.querySelector<HTMLElement>(firstField)?.focus();
    return noteClosing;
  }, []);
  const close = () => {
    if (mayClose()) dialog.current?.close();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it too.
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      onClose={onClose}
      onCancel={(event) => {
        if (event.target === dialog.current && !mayClose()) event.preventDefault();
      }}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <div className="dialog-content">
        <header>
          <h2 id={titleId}>{title}</h2>
          <button type="button" className="icon-button" aria-label={messages.common.close} onClick={close}>
            <CloseIcon />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
