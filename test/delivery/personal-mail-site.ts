import { signToken } from "../../src/engine/access/jwt.js";
import { testSecrets } from "../support/environment.js";
import { createAdmin, createFacility, createWorkspace, type TestUser } from "../support/factories.js";
import { type Gateway, run } from "../support/harness.js";
import { openMailServer, type ReceivedMail, refusal } from "./mail-server.js";

/** A mail server that can be told to take no mails for now, and what it received. */
export class Mailbox {
  /** Whether the server refuses mails for now. */
  isAway = false;
  private server!: Awaited<ReturnType<typeof openMailServer>>;

  static async open(): Promise<Mailbox> {
    const mailbox = new Mailbox();
    mailbox.server = await openMailServer({
      onRcptTo: (_address, _session, done) => done(mailbox.isAway ? refusal(450) : null),
    });
    return mailbox;
  }

  /** The settings of a gateway that sends its mails here. */
  get settings() {
    return { SMTP_URL: this.server.url, MAIL_FROM: "Site safety <gateway@mail.example>" };
  }

  /** The mails to an address in any case, as often as they arrived. */
  to(email: string): ReceivedMail[] {
    return this.server.received.filter(({ recipients }) =>
      recipients.some((address) => address.toLowerCase() === email.toLowerCase()),
    );
  }

  close(): Promise<void> {
    return this.server.close();
  }
}

/** The links in the text of a mail. */
export const linksIn = ({ text = "" }: ReceivedMail): string[] => text.match(/^https?:\/\/\S+$/gm) ?? [];

/** The link of the only mail to an address. */
export function onlyLink(mails: readonly ReceivedMail[]): string {
  expect(mails.map(linksIn)).toEqual([[expect.any(String)]]);
  return linksIn(mails[0] as ReceivedMail)[0] as string;
}

/** A workspace with an administrator and a facility. */
export async function createPlant(gateway: Gateway, name: string) {
  const { prisma } = gateway;
  const workspaceId = await createWorkspace(prisma, { name });
  const facilityId = await createFacility(prisma, { workspaceId });
  const user = await createAdmin(prisma, workspaceId);
  return { workspaceId, facilityId, admin: await withLongToken(user) };
}

/** A user with a token that outlasts what tests do to the clock. */
export async function withLongToken(user: TestUser): Promise<TestUser> {
  const seconds = 90 * 24 * 3600;
  const token = await signToken(testSecrets.AUTH_JWT_SECRET, user.authId, seconds, new Date());
  return { ...user, as: { authorization: `Bearer ${token}` } };
}

/** Invites an address, and waits until nothing is left to send for now. */
export async function invite(gateway: Gateway, by: TestUser, email: string): Promise<string> {
  const { inviteUser } = await run<{ inviteUser: { id: string } }>(gateway, by, [
    "mutation ($email: String!) { inviteUser(input: { email: $email }) { id } }",
    { email },
  ]);
  await gateway.app.idle();
  return inviteUser.id;
}

/** Signs in by a link, and returns the address and the workspace of the user. */
export async function signInBy(gateway: Gateway, link: string) {
  const code = /#sign-in=(.+)$/.exec(link)?.[1];
  const { data, errors } = await gateway.graphql<{ signIn: { token: string } }>(
    "mutation ($code: String!) { signIn(code: $code) { token } }",
    { variables: { code } },
  );
  if (errors) return errors[0]?.extensions.code;
  return gateway.data<{ me: { id: string; email: string }; workspace: { name: string } }>(
    "{ me { id email } workspace { name } }",
    { as: { authorization: `Bearer ${data.signIn.token}` } },
  );
}
