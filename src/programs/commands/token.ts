import { signToken } from "../../engine/access/jwt.js";
import { readTokenSecret } from "../../engine/settings/commands.js";
import { fail } from "../../platform/thrown.js";

const lifetimeSeconds = 24 * 3600;

/**
 * `npm run token -- 'demo|admin'`: prints a Bearer token for an `authId`, valid for a day. It needs the secret only,
 * and asks nobody whether there is such a user.
 */
try {
  const authId = process.argv[2];
  if (!authId) throw new Error("Usage: npm run token -- 'demo|admin'");
  const secret = readTokenSecret();
  if (secret === undefined)
    throw new Error(
      "Tokens come from the identity provider at AUTH_ISSUER; this command is for the shared-secret mode",
    );
  process.stdout.write(`${await signToken(secret, authId, lifetimeSeconds, new Date())}\n`);
} catch (error) {
  fail(error);
}
