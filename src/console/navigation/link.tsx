import type { AnchorHTMLAttributes, MouseEvent } from "react";
import { addressOf, navigate, type QueryChanges } from "./location.js";

type LinkProps = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "href" | "onClick"> & { to: QueryChanges };

/**
 * A link to a state of the console, which opens without loading the page. With Ctrl,
 * Shift or another modifier, it behaves like any link.
 */
export function Link({ to, ...attributes }: LinkProps) {
  const address = addressOf(to);
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(address);
  };
  return <a {...attributes} href={address} onClick={follow} />;
}
