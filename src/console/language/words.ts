import type { Messages } from "./en.js";

const abbreviations = new Set(["PPE"]);

/**
 * A code in words: `VEHICLE_IN_PEDESTRIAN_AREA` is “Vehicle in pedestrian area”. What is
 * in words already stays as it is.
 */
function humanized(code: string): string {
  if (!/^[A-Z0-9]+(?:_[A-Z0-9]+)*$/.test(code)) return code;
  const sentence = code
    .split("_")
    .map((word) => (abbreviations.has(word) ? word : word.toLowerCase()))
    .join(" ");
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

/**
 * What the catalogue says for a code. Whoever reports an alert chooses its code, so it
 * may also be “constructor”.
 */
const wordsFor = (code: string, catalogue: Record<string, string>) =>
  (Object.hasOwn(catalogue, code) && catalogue[code]) || humanized(code);

/**
 * Names what the API names by an open set of codes: in the reader's language if the
 * catalogue has them, else in the code's own words.
 */
export class Words {
  readonly #messages: Messages;

  constructor(messages: Messages) {
    this.#messages = messages;
  }

  /** An alert's type, `Alert.name`. */
  alertType(code: string): string {
    return wordsFor(code, this.#messages.alertTypes);
  }

  /** An alert's severity. */
  severity(code: string): string {
    return wordsFor(code, this.#messages.severities);
  }

  /** A camera's status detail. */
  statusDetail(code: string): string {
    return wordsFor(code, this.#messages.statusDetails);
  }
}
