import { badLink, ServiceError } from "../platform/errors.js";
import type { Claim } from "./authenticate.js";
import type { RequestContext } from "./request-context.js";

/** What a signed link stands for, beside whatever else it says: who made it. */
export interface Ticket {
  claim: Claim;
}

/**
 * Lets in who opens a link to a path by its ticket, with what its maker may see and do now. NOT_FOUND when the ticket is not
 * good, or no longer, and when its maker is gone.
 */
export async function openTicket<Value extends Ticket>(context: RequestContext, path: string, sealed: string): Promise<Value> {
  const ticket = await context.services.links.unseal<Value>(path, sealed);
  if (!ticket) {
    await context.countStranger();
    throw badLink();
  }
  await context.authenticate("any", ticket.claim).catch((error) => {
    throw error instanceof ServiceError && error.code === "UNAUTHENTICATED" ? badLink() : error;
  });
  return ticket;
}
