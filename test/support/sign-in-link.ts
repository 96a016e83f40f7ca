import { type SignInGrant, SignInLinks } from "../../src/engine/access/sign-in-links.js";
import { testSecrets } from "./environment.js";

/** Makes a link as the gateways of tests do, with the code in it. */
export function signInLink(
  grant: SignInGrant,
  { expiresAt = new Date(Date.now() + 60_000), secret = testSecrets.LINK_SECRET } = {},
): { url: string; code: string } {
  const links = new SignInLinks({
    publicUrl: () => "https://gateway.example",
    secrets: [secret],
    hasIssuer: false,
  });
  const url = links.urlFor(grant, expiresAt);
  return { url, code: codeOf(url) };
}

/** The code in the fragment of a link. */
export const codeOf = (url: string): string => /#sign-in=(.+)$/.exec(url)?.[1] ?? "";
