import type { Messages } from "./en.js";

const abbreviations = new Set(["PPE"]);

/**
 * A code in words: `VEHICLE_IN_PEDESTRIAN_AREA` becomes “Vehicle in pedestrian area”. A
 * code that is already in words stays.
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
 * The words of the catalogue for a code. Detectors choose the codes of alerts, so a code
 * may also be “constructor”.
 */
const wordsFor = (code: string, catalogue: Record<string, string>) =>
  (Object.hasOwn(catalogue, code) && catalogue[code]) || humanized(code);

/**
 * Names the API's codes, whose sets are open: in the reader's language if the catalogue
 * has a code, otherwise in the words of the code.
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
