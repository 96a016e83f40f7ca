import { signToken } from "../access/jwt.js";
import { readEnvironment } from "../environment.js";

const lifetimeSeconds = 24 * 3600;

/** `npm run token -- 'demo|admin'`: prints a bearer token for the user with an `authId`, valid for a day. */
try {
  const authId = process.argv[2];
  if (!authId) throw new Error("Usage: npm run token -- 'demo|admin'");
  const { AUTH_JWT_SECRET } = readEnvironment();
  if (!AUTH_JWT_SECRET) throw new Error("Tokens come from the identity provider at AUTH_ISSUER; this command is for the shared-secret mode");
  process.stdout.write(`${await signToken(AUTH_JWT_SECRET, authId, lifetimeSeconds, new Date())}\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
