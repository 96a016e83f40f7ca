import { memberIn } from "../../platform/record.js";

/** What a sign-in link says of itself. The gateway alone can tell whether it is true. */
export interface LinkContent {
  /** Whom it signs in; undefined if it does not say so. */
  email: string | undefined;
  workspaceName: string | undefined;
  inviterName: string | undefined;
  /** In milliseconds since 1970. */
  expiresAt: number;
}

/** What the code of a link contains; undefined if part of the code is missing. */
export function linkContent(code: string): LinkContent | undefined {
  const [, content] = /^([\w-]+)\.[\w-]{43}$/.exec(code) ?? [];
  if (content === undefined) return undefined;
  const bytes = Uint8Array.from(atob(content.replaceAll("-", "+").replaceAll("_", "/")), (character) =>
    character.charCodeAt(0),
  );
  try {
    const signed: unknown = JSON.parse(new TextDecoder().decode(bytes));
    const shown = memberIn(signed, "shown");
    return {
      email: textOf(memberIn(shown, "email") ?? memberIn(memberIn(signed, "grant"), "email")),
      workspaceName: textOf(memberIn(shown, "workspaceName")),
      inviterName: textOf(memberIn(shown, "inviterName")),
      expiresAt: Number(memberIn(signed, "until")),
    };
  } catch {
    return undefined;
  }
}

const textOf = (value: unknown) => (typeof value === "string" ? value : undefined);
