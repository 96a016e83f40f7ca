import { PageStorage } from "./storage.js";

/** Where GraphiQL keeps the history of operations, and its marked entries. */
const historyKeys = ["graphiql:queries", "graphiql:favorites"];

/** Leaves out GraphiQL's history, which keeps the headers of operations and with them credentials. */
class PlaygroundStorage extends PageStorage {
  override setItem(key: string, text: string) {
    return super.setItem(key, historyKeys.includes(key) ? withoutHeaders(text) : text);
  }
}

const withoutHeaders = (text: string) =>
  JSON.stringify(JSON.parse(text), (name, value) => (name === "headers" ? undefined : value));

/** The storage of the playground, for all tabs. GraphiQL itself names what is in it. */
export const playgroundStorage = new PlaygroundStorage(() => localStorage, "graphiql:");
