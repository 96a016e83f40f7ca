/** The process that opened a stream has died, for this stream or another. */
export class FeedProcessError extends Error {
  constructor() {
    super("The process that opens streams has died");
  }
}
