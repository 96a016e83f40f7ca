import "./account/menu.css";
import { type ReactNode, useId } from "react";

interface MenuProps {
  label: ReactNode;
  /** What the button is called where its label is an icon. */
  name?: string;
  isBusy?: boolean;
  children: ReactNode;
}

/** A button with a menu of buttons or links below it, which closes once one is chosen. */
export function Menu({ label, name, isBusy = false, children }: MenuProps) {
  const id = useId();
  return (
    <>
      <button type="button" popoverTarget={id} aria-label={name} title={name} aria-busy={isBusy}>
        {label}
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it hears of what is chosen in it. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: keys click the buttons in it. */}
      <div
        id={id}
        popover="auto"
        className="menu below-button"
        onClick={(event) => event.currentTarget.hidePopover()}
      >
        {children}
      </div>
    </>
  );
}
