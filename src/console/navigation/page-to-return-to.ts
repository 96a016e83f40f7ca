import { hasKey } from "../../platform/record.js";
/**
 * The pages from which the console is opened for signing in, and to which it leads back, by their names in
 * the address: `/?then=docs`.
 */
export const pagePaths = { playground: "/graphql", docs: "/docs" };

export type PageName = keyof typeof pagePaths;

/** The address of the page to sign in for a page beside the console. */
export const signInAddress = (page: PageName): string => `/?then=${page}`;

/** Where to go after signing in; undefined to stay. */
export function pathAfterSignIn(query: URLSearchParams): string | undefined {
  const name = query.get("then");
  return hasKey(pagePaths, name) ? pagePaths[name] : undefined;
}
