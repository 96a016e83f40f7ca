/** A value that is already JSON. Answers include the text as it is. */
export class JsonText {
  constructor(readonly text: string) {}

  /** The parsed value, for callers that need more than the text. */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}
