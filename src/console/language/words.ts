import { wordsFor } from "../../platform/text/code-words.js";
import type { Messages } from "./en.js";

/**
 * Names the API's codes, whose sets are open: in the reader's language if the catalogue has a code,
 * otherwise in the words of the code.
 */
export class Words {
  readonly #messages: Messages;

  constructor(messages: Messages) {
    this.#messages = messages;
  }

  alertType(code: string): string {
    return wordsFor(code, this.#messages.alertTypes);
  }

  severity(code: string): string {
    return wordsFor(code, this.#messages.severities);
  }

  statusDetail(code: string): string {
    return wordsFor(code, this.#messages.statusDetails);
  }
}
