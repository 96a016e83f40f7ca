import { parseArgs } from "node:util";
import { z } from "zod";
import { createKey } from "../../engine/access/api-key.js";
import { permissions } from "../../engine/access/permissions.js";
import { SignInLinks } from "../../engine/access/sign-in-links.js";
import { openDatabase } from "../../engine/database/client.js";
import { readDatabaseUrl, readSignInSettings } from "../../engine/settings/commands.js";
import { invitationMailDelivery } from "../../features/delivery/invitation-mails.js";
import { addInvitation } from "../../features/invitation/invitation.js";
import { addUser } from "../../features/user/auth-id-lookup.js";
import { emailAddress, name, resourceName } from "../../platform/input/text-rules.js";
import { fail } from "../../platform/thrown.js";

const usage =
  "Usage: npm run bootstrap -- --workspace 'Name' [--auth-id 'subject at the identity provider'] --email admin@example.com [--key 'name of an API key with all permissions']";

/** Names and addresses follow the rules of the API. */
const options = z.object({
  workspace: resourceName,
  "auth-id": name(255).optional(),
  email: emailAddress,
  key: resourceName.optional(),
});

/**
 * `npm run bootstrap`: creates a workspace in the database at DATABASE_URL, with an administrator. Without the
 * administrator's subject, invites the administrator, by mail with SMTP_URL. Prints the link of the invitation, and the
 * API key if one is wanted.
 */
try {
  const { values } = parseArgs({
    options: {
      workspace: { type: "string" },
      "auth-id": { type: "string" },
      email: { type: "string" },
      key: { type: "string" },
    },
  });
  if (!values.workspace || !values.email) throw new Error(usage);
  const { data, error } = options.safeParse(values);
  if (!data)
    throw new Error(error.issues.map(({ path, message }) => `--${path.join(".")} ${message}`).join("\n"));
  const { workspace: name, "auth-id": authId, email, key: keyName } = data;
  const url = readDatabaseUrl();
  const signIn = authId === undefined ? readSignInSettings() : undefined;
  const database = await openDatabase(
    { url, poolSize: 1, connectTimeoutMs: 10_000, statementTimeoutMs: 30_000 },
    { onConnectionLost: () => {} },
  );
  try {
    const { missing } = await database.migrationState();
    if (missing.length > 0) throw new Error("The database lacks migrations; run `npm run migrate` first");
    const taken = new Error(`User ${authId} already exists; nothing was created`);
    const { key, id, secretHash } = createKey();
    const createdAt = new Date();
    const [workspace, invitation] = await database.transact(async (transaction) => {
      const created = await transaction.workspace.create({ data: { name } });
      const owned = { workspaceId: created.id };
      const roles = [...permissions];
      const invited =
        authId === undefined
          ? await addInvitation(transaction, { ...owned, email, roles, createdAt })
          : undefined;
      if (invited && signIn?.sendsMail)
        for (const statement of invitationMailDelivery(invited, createdAt))
          await transaction.$executeRaw(statement);
      if (authId !== undefined && !(await addUser(transaction, { ...owned, authId, email, roles })))
        throw taken;
      if (keyName !== undefined) {
        await transaction.apiKeyLookup.create({ data: { id, ...owned } });
        await transaction.apiKey.create({
          data: {
            ...owned,
            id,
            name: keyName,
            secretHash: new Uint8Array(secretHash),
            permissions: [...permissions],
            allFacilities: true,
          },
        });
      }
      return [created, invited] as const;
    });
    const administrator = authId === undefined ? `an invitation for ${email}` : `the administrator ${authId}`;
    process.stdout.write(`Created workspace ${workspace.id} "${name}" with ${administrator}\n`);
    if (keyName !== undefined) process.stdout.write(`API key, shown only once: ${key}\n`);
    if (signIn && invitation) {
      const links = new SignInLinks({ ...signIn, publicUrl: () => signIn.publicUrl });
      process.stdout.write(
        `Sign in until ${invitation.expiresAt.toISOString()} at ${links.invitationUrl(invitation, { workspaceName: name, inviterName: null })}\n`,
      );
    }
  } finally {
    await database.close();
  }
} catch (error) {
  fail(error);
}
