/** Settings that the gateway embeds in the playground page as JSON. */
export interface PlaygroundSettings {
  /** A valid token for the initial headers; absent if users must enter their own. */
  initialToken?: string;
}
