/** What the gateway tells the playground page, embedded in the page as JSON. */
export interface PlaygroundSettings {
  /** A token that works right away; absent when users have to bring their own. */
  readyToken?: string;
}

/** The id of the script element that holds the settings. */
export const settingsElementId = "playground-settings";
