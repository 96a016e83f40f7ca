import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { z } from "zod";
import { type SignInGrant, SignInLinks, signInLinkLifetimeMs } from "../../engine/access/sign-in-links.js";
import { embeddedDatabase, openDatabase } from "../../engine/database/client.js";
import { askHolder } from "../../engine/database/directory-lock.js";
import { readSignInSettings, type SignInSettings } from "../../engine/settings/commands.js";
import { findPeople, type Person } from "../../features/session/people-by-address.js";
import { uuid } from "../../platform/input/scalars.js";
import { emailAddress } from "../../platform/input/text-rules.js";
import { fail } from "../../platform/thrown.js";

const usage =
  "Usage: npm run sign-in -- admin@example.com [--workspace 'id of the workspace'] [--user 'id of the user']";

const options = z.object({ email: emailAddress, workspace: uuid.optional(), user: uuid.optional() });

/** `npm run sign-in -- admin@example.com`: prints a link per user with the address, good once, for 15 minutes. */
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
  const people = await peopleWith(settings, email);
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
} catch (error) {
  fail(error);
}

/** The people with an address. The embedded database belongs to the gateway, if one runs. */
async function peopleWith({ databaseUrl, directory }: SignInSettings, email: string): Promise<Person[]> {
  if (databaseUrl === undefined) {
    const answer = await askHolder(directory, email);
    if (answer === "") throw new Error("The gateway is starting: try again");
    if (answer !== undefined) return JSON.parse(answer);
    if (!existsSync(embeddedDatabase(directory)))
      throw new Error(`There is no database in ${directory} yet: start the gateway first`);
  }
  const database = await openDatabase(
    databaseUrl === undefined
      ? { directory }
      : { url: databaseUrl, poolSize: 1, connectTimeoutMs: 10_000, statementTimeoutMs: 30_000 },
    { onConnectionLost: () => {} },
  );
  try {
    return await findPeople(database.prisma, email);
  } finally {
    await database.close();
  }
}
