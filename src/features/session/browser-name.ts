import { parse } from "bowser";

/** The maximum length of a `User-Agent` that is looked at. */
const maxLength = 500;

/** The browser and its system, such as "Firefox, Windows"; empty if the `User-Agent` names none that is known. */
export function browserName(userAgent: string | undefined): string {
  if (!userAgent) return "";
  const { browser, os } = parse(userAgent.slice(0, maxLength));
  return [browser.name, os.name].filter(Boolean).join(", ");
}
