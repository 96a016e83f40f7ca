/** A value that was written as JSON elsewhere, and becomes part of an answer as it is. */
export class JsonText {
  constructor(readonly text: string) {}

  /** The value itself, for whoever needs more than its text. */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}
