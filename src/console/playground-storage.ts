import { PageStorage } from "./storage.js";

/** Where GraphiQL keeps the history of operations, and its marked entries. */
const historyKeys = ["graphiql:queries", "graphiql:favorites"];

/**
 * What the playground keeps in the browser. GraphiQL's history keeps the headers of
 * operations, too, and with them credentials: they are left out.
 */
class PlaygroundStorage extends PageStorage {
  override setItem(key: string, text: string) {
    return super.setItem(key, historyKeys.includes(key) ? withoutHeaders(text) : text);
  }
}

const withoutHeaders = (text: string) =>
  JSON.stringify(JSON.parse(text), (name, value) => (name === "headers" ? undefined : value));

/** The storage of the playground, for all tabs. GraphiQL names what is in it. */
export const playgroundStorage = new PlaygroundStorage(() => localStorage, "graphiql:");
