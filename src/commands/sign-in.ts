import { parseArgs } from "node:util";
import { z } from "zod";
import { type SignInGrant, SignInLinks, signInLinkLifetimeMs } from "../access/sign-in-links.js";
import { openDatabase } from "../database/client.js";
import { readSignInSettings } from "../environment.js";
import type { PrismaClient } from "../generated/prisma/client.js";
import { uuid } from "../platform/scalars.js";
import { emailAddress } from "../platform/text-rules.js";
import { foldedEmail } from "../user/auth-id-lookup.js";
import { isOpen } from "../user/invitation.js";

const usage =
  "Usage: npm run sign-in -- admin@example.com [--workspace 'id of the workspace'] [--user 'id of the user']";

const options = z.object({ email: emailAddress, workspace: uuid.optional(), user: uuid.optional() });

/**
 * `npm run sign-in -- admin@example.com`: prints a link that signs in the user with this
 * address, once, within 15 minutes. On a server, a link for each user with the address.
 * The embedded database belongs to the gateway, which finds the user when the link is
 * opened.
 */
try {
  const { values, positionals } = parseArgs({
    options: { workspace: { type: "string" }, user: { type: "string" } },
    allowPositionals: true,
  });
  if (positionals.length !== 1) throw new Error(usage);
  const { data, error } = options.safeParse({ ...values, email: positionals[0] });
  if (!data)
    throw new Error(error.issues.map(({ path, message }) => `${path.join(".")} ${message}`).join("\n"));
  const { email, workspace: workspaceId, user: userId } = data;
  const settings = readSignInSettings();
  if (settings.hasIssuer)
    throw new Error(
      "Users sign in at the identity provider at AUTH_ISSUER; this command is for the shared-secret mode",
    );
  const links = new SignInLinks({ ...settings, publicUrl: () => settings.publicUrl });
  const expiresAt = new Date(Date.now() + signInLinkLifetimeMs);
  const print = (grant: SignInGrant, of = "") =>
    process.stdout.write(`${links.urlFor(grant, expiresAt)}${of}\n`);
  if (settings.databaseUrl === undefined) {
    const named = {
      ...(workspaceId !== undefined && { workspaceId }),
      ...(userId !== undefined && { userId }),
    };
    print({ kind: "address", email, ...named });
  } else {
    const people = await peopleWith(settings.databaseUrl, email);
    const wanted = people.filter(
      ({ grant, workspace }) =>
        (workspaceId === undefined || workspace.id === workspaceId) &&
        (userId === undefined || (grant.kind === "user" && grant.id === userId)),
    );
    if (wanted.length === 0) throw new Error(`Nobody with the address ${email} is a user or invited`);
    for (const { grant, workspace, name } of wanted) {
      const isOnlyOne = people.filter((each) => each.workspace.id === workspace.id).length === 1;
      const of = ` ${workspace.id} "${workspace.name}"${isOnlyOne ? "" : ` ${name}`}`;
      print(grant, people.length > 1 ? of : "");
    }
  }
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}

/** A user, or somebody who is invited, with what their link grants. */
interface Person {
  grant: SignInGrant;
  workspace: { id: string; name: string };
  /** Of a user with the id, to tell them from others. */
  name: string;
}

/** The users with an address, and whoever is invited by it and can still accept. */
async function peopleWith(url: string, email: string): Promise<Person[]> {
  const database = await openDatabase(
    { url, poolSize: 1, connectTimeoutMs: 10_000, statementTimeoutMs: 30_000 },
    { onConnectionLost: () => {} },
  );
  try {
    return await findPeople(database.prisma, foldedEmail(email));
  } finally {
    await database.close();
  }
}

async function findPeople(prisma: PrismaClient, email: string): Promise<Person[]> {
  const people: Person[] = [];
  const users = await prisma.emailLookup.findMany({
    where: { email },
    orderBy: [{ workspaceId: "asc" }, { userId: "asc" }],
  });
  for (const { workspaceId, userId: id } of users) {
    const key = { workspaceId_id: { workspaceId, id } };
    const user = await prisma.user.findUnique({ where: key, include: { workspace: true } });
    if (!user) continue;
    const name = [id, user.firstName, user.lastName].filter((part) => part !== null).join(" ");
    people.push({ grant: { kind: "user", workspaceId, id, email }, workspace: user.workspace, name });
  }
  for (const { workspaceId, id } of await prisma.invitationLookup.findMany({ where: { email } })) {
    const key = { workspaceId_id: { workspaceId, id } };
    const invitation = await prisma.invitation.findUnique({ where: key, include: { workspace: true } });
    // An invitation that nobody can accept any more is kept.
    if (!invitation || !(await isOpen(prisma, invitation, new Date()))) continue;
    people.push({
      grant: { kind: "address", email, workspaceId },
      workspace: invitation.workspace,
      name: "invited",
    });
  }
  return people;
}
