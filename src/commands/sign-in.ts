import { parseArgs } from "node:util";
import { z } from "zod";
import { type SignInGrant, SignInLinks, signInLinkLifetimeMs } from "../access/sign-in-links.js";
import { openDatabase } from "../database/client.js";
import { readSignInSettings } from "../environment.js";
import type { PrismaClient } from "../generated/prisma/client.js";
import { uuid } from "../platform/scalars.js";
import { emailAddress } from "../platform/text-rules.js";
import { foldedEmail } from "../user/auth-id-lookup.js";

const usage = "Usage: npm run sign-in -- admin@example.com [--workspace 'id of the workspace']";

const options = z.object({ email: emailAddress, workspace: uuid.optional() });

/**
 * `npm run sign-in -- admin@example.com`: prints a link that signs in the user with this
 * address, once, within 15 minutes. On a server, a link for each user with the address.
 * The embedded database belongs to the gateway, which finds the user when the link is
 * opened.
 */
try {
  const { values, positionals } = parseArgs({
    options: { workspace: { type: "string" } },
    allowPositionals: true,
  });
  if (positionals.length !== 1) throw new Error(usage);
  const { data, error } = options.safeParse({ ...values, email: positionals[0] });
  if (!data)
    throw new Error(error.issues.map(({ path, message }) => `${path.join(".")} ${message}`).join("\n"));
  const { email, workspace: workspaceId } = data;
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
    print({ kind: "address", email, ...(workspaceId !== undefined && { workspaceId }) });
  } else {
    const places = await placesOf(settings.databaseUrl, email);
    const wanted = places.filter((place) => workspaceId === undefined || place.id === workspaceId);
    if (wanted.length === 0) throw new Error(`Nobody with the address ${email} is a user or invited`);
    for (const { id, name } of wanted)
      print({ kind: "address", email, workspaceId: id }, places.length > 1 ? ` ${id} "${name}"` : "");
  }
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}

/** The workspaces to which an address leads, in which it is a user's or invited. */
async function placesOf(url: string, email: string): Promise<{ id: string; name: string }[]> {
  const database = await openDatabase(
    { url, poolSize: 1, connectTimeoutMs: 10_000, statementTimeoutMs: 30_000 },
    { onConnectionLost: () => {} },
  );
  try {
    return await findPlaces(database.prisma, foldedEmail(email));
  } finally {
    await database.close();
  }
}

async function findPlaces(prisma: PrismaClient, email: string): Promise<{ id: string; name: string }[]> {
  const users = await prisma.emailLookup.findMany({ where: { email } });
  const invited = await prisma.invitationLookup.findMany({ where: { email } });
  const ids = new Set([...users, ...invited].map(({ workspaceId }) => workspaceId));
  const places = [];
  for (const id of ids) places.push(...(await prisma.workspace.findMany({ where: { id } })));
  return places;
}
