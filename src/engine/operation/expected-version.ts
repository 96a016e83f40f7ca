import { z } from "zod";
import { ServiceError } from "../../platform/errors/errors.js";

/** The field of an update's input with the version of the record that the update is for. */
export const expectedUpdatedAt = z
  .date()
  .optional()
  .describe(
    "The `updatedAt` that the change is based on. CONFLICT, and nothing changes, if the stored value is another one: somebody else has changed it meanwhile. If omitted, the change is made in any case.",
  );

export interface ExpectedVersion {
  expectedUpdatedAt?: Date | undefined;
}

/** Throws CONFLICT if a record is not as an update expects. Call with it locked, after checking the permission. */
export function assertExpectedVersion(
  { updatedAt }: { id: string; updatedAt?: Date },
  { expectedUpdatedAt: expected }: ExpectedVersion,
): void {
  if (!expected || !updatedAt || expected.getTime() === updatedAt.getTime()) return;
  throw new ServiceError(
    "CONFLICT",
    `Somebody else has changed it meanwhile, at ${updatedAt.toISOString()}; nothing was changed now`,
  );
}
