import "./notice.css";
import type { ReactNode } from "react";
import { useLanguage } from "../language/language.js";
import { WarningIcon } from "./icons.js";

/** A face for what is not there: a title, a sentence, and what can be done. */
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
 * In place of a view that shows nothing to callers without a permission: “nothing yet”
 * would not be true.
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
