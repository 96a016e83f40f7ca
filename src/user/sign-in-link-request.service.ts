import { Prisma } from "../generated/prisma/client.js";
import type { AnonymousRequest } from "../operation/request-context.js";
import { NotSetUpError, ServiceError } from "../platform/errors.js";
import { subnetOf } from "../platform/ip-address.js";
import { orderedUuid } from "../platform/ordered-uuid.js";
import { countedClient } from "../platform/telemetry/counted-client.js";
import { foldedEmail } from "./auth-id-lookup.js";
import { assertSignsInByLink } from "./session-write.service.js";

/**
 * The maximum number of requests that wait, in all and from one network. A worker answers
 * many in a second.
 */
const maxWaiting = 1_000;
const maxWaitingOfNetwork = 100;
const retryAfter = 10;

/**
 * Records that somebody wants a sign-in link mailed to an address. A worker looks up the
 * address, so that neither the answer nor its duration reveals whether a user has it.
 */
export async function requestSignInLink(context: AnonymousRequest, email: string): Promise<boolean> {
  assertSignsInByLink(context);
  const { services, origin } = context;
  if (!services.settings.deliveryChannels.email)
    throw new NotSetUpError("This gateway sends no mails: ask its operator for a sign-in link");
  // One document may ask for many links.
  await services.authenticator.rateLimitAnonymous(origin);
  const prisma = countedClient(services.database.prisma, origin.logEntry);
  const network = subnetOf(origin.address);
  const isBelow = (max: number, condition = Prisma.empty) =>
    Prisma.sql`(SELECT count(*) FROM (SELECT FROM "SignInLinkRequest" WHERE "answeredAt" IS NULL ${condition} LIMIT ${max}::int) AS waiting) < ${max}::int`;
  const added = await prisma.$executeRaw(Prisma.sql`
    INSERT INTO "SignInLinkRequest" ("id", "email", "network", "requestedAt")
    SELECT ${orderedUuid()}::uuid, ${foldedEmail(email)}, ${network}, ${services.now()}::timestamptz
    WHERE ${isBelow(maxWaiting)} AND ${isBelow(maxWaitingOfNetwork, Prisma.sql`AND "network" = ${network}`)}`);
  if (added === 0)
    throw new ServiceError(
      "RATE_LIMITED",
      `Too many people ask for sign-in links; try again in ${retryAfter} s`,
      { retryAfter },
    );
  services.wakeWorkers();
  return true;
}
