import { signToken } from "../access/jwt.js";
import { isLoopback } from "../access/trustworthy-url.js";
import { openDatabase } from "../database/client.js";
import { type Environment, readEnvironment } from "../environment.js";

const lifetimeSeconds = 24 * 3600;
const checkTimeoutMs = 5_000;
const checkLifetimeSeconds = 60;

/**
 * `npm run token -- 'demo|admin'`: prints a bearer token for the user with an `authId`,
 * valid for a day. Warns if there is no such user.
 */
try {
  const authId = process.argv[2];
  if (!authId) throw new Error("Usage: npm run token -- 'demo|admin'");
  const environment = readEnvironment();
  const { AUTH_JWT_SECRET } = environment;
  if (!AUTH_JWT_SECRET)
    throw new Error(
      "Tokens come from the identity provider at AUTH_ISSUER; this command is for the shared-secret mode",
    );
  const token = await signToken(AUTH_JWT_SECRET, authId, lifetimeSeconds, new Date());
  process.stdout.write(`${token}\n`);
  const warning = await warningAbout(authId, AUTH_JWT_SECRET, environment).catch(
    (error: Error) => `Whether ${authId} is a user was not checked: ${error.message}`,
  );
  if (warning) process.stderr.write(`${warning}\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}

async function warningAbout(
  authId: string,
  secret: string,
  environment: Environment,
): Promise<string | undefined> {
  const isUser = environment.DATABASE_URL
    ? await isStored(environment.DATABASE_URL, authId)
    : await isAccepted(authId, secret, environment);
  return isUser
    ? undefined
    : `Warning: there is no user ${authId}, so that the gateway will not accept this token`;
}

async function isStored(url: string, authId: string): Promise<boolean> {
  const limits = { poolSize: 1, connectTimeoutMs: checkTimeoutMs, statementTimeoutMs: checkTimeoutMs };
  const database = await openDatabase({ url, ...limits }, { onConnectionLost: () => {} });
  try {
    return (await database.prisma.authIdLookup.count({ where: { authId } })) > 0;
  } finally {
    await database.close();
  }
}

/**
 * Asks the running gateway, because no other process can open the embedded database.
 * Should another program listen there, the token is of little use to it.
 */
async function isAccepted(authId: string, secret: string, { HOST, PORT }: Environment): Promise<boolean> {
  const token = await signToken(secret, authId, checkLifetimeSeconds, new Date());
  const host = isLoopback(HOST) ? HOST : "127.0.0.1";
  const address = `http://${host.includes(":") ? `[${host}]` : host}:${PORT}`;
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${address}/user`, {
    headers,
    signal: AbortSignal.timeout(checkTimeoutMs),
  }).catch(() => {
    throw new Error(`no gateway answers at ${address}`);
  });
  await response.body?.cancel();
  if (response.status === 401) return false;
  if (response.ok || response.status === 403) return true;
  throw new Error(`${address} answered ${response.status}`);
}
