import { z } from "zod";
import { idField, inputType } from "../../platform/input/input-type.js";
import { optionalList } from "../../platform/input/list-rule.js";
import { timeOfDay, timeZoneId } from "../../platform/input/time-rules.js";

export const defaultDigestTime = "07:00";

export type DigestInput = InstanceType<typeof DigestInput>;
export const DigestInput = inputType(
  "DigestInput",
  "The mail that the calling user gets each day about the last 24 hours.",
  z.object({
    enabled: z
      .boolean("must be true or false")
      .describe(
        "Whether the mail is sent. BAD_REQUEST if that is true and the user has no email address, UNAVAILABLE if `Workspace.deliveryChannels` lists no EMAIL.",
      ),
    at: timeOfDay
      .nullish()
      .describe(
        `The time at which the mail is sent, from 00:00 to 23:59 by the clock of the time zone; by default ${defaultDigestTime}.`,
      ),
    timeZoneId: timeZoneId.describe("The IANA time zone of `at`, such as Europe/Istanbul."),
    facilityIds: optionalList(idField, 1000).describe(
      "The IDs of the facilities to which the mail is limited, at most 1000; by default, and if the list is empty, all that the user may see. NOT_FOUND if the user may not see one of them.",
    ),
  }),
);
