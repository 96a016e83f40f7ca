import "./notice.css";
import type { ReactNode } from "react";
import { useLanguage } from "../language/language.js";
import { WarningIcon } from "./icons.js";

/** A notice in place of missing content: a title, a sentence, and possible actions. */
export function Notice({
  icon,
  title,
  children,
  actions,
}: {
  icon?: ReactNode;
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
}) {
  return (
    <section className="notice">
      {icon && <div className="notice-icon">{icon}</div>}
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {actions && <div className="notice-actions">{actions}</div>}
    </section>
  );
}

/**
 * Replaces a view that is empty because the viewer lacks a permission: “nothing yet”
 * would be false.
 */
export function ForbiddenNotice() {
  const { messages } = useLanguage();
  const { title, text } = messages.failures.forbidden;
  return (
    <Notice icon={<WarningIcon />} title={title}>
      {text}
    </Notice>
  );
}
