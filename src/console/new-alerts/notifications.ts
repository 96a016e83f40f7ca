import { addressOf, navigate, type QueryChanges } from "../navigation/location.js";

export interface NotificationText {
  title: string;
  body?: string;
  /** A later notification with the same tag takes the place of this one, in all tabs. */
  tag: string;
  to: QueryChanges;
}

/** Whether this browser shows notifications of this page if the reader allows it. */
export const canNotify = (): boolean => "Notification" in window && isSecureContext;

/** Shows a notification. Returns false if the browser refuses. */
export function notify({ title, tag, to, body }: NotificationText): boolean {
  if (!canNotify() || Notification.permission !== "granted") return false;
  try {
    const shown = new Notification(title, { tag, icon: "/favicon.svg", ...(body && { body }) });
    shown.onclick = () => {
      window.focus();
      navigate(addressOf(to));
      shown.close();
    };
    return true;
  } catch {
    // Browsers of phones offer notifications only to pages that are installed.
    return false;
  }
}
