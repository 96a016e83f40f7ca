import { z } from "zod";
import { expectedUpdatedAt } from "../../engine/operation/expected-version.js";
import { existingId } from "../../platform/input/descriptions.js";
import { argumentsType, idField, inputType } from "../../platform/input/input-type.js";
import { resourceName, visibleRemark } from "../../platform/input/text-rules.js";
import { timeZoneId } from "../../platform/input/time-rules.js";
import { givenContacts } from "./contact.js";
import { latitudeDescription, longitudeDescription } from "./facility.type.js";

const geographicCoordinates = z.object({
  lat: z
    .number()
    .min(-90, "must be at least -90")
    .max(90, "must be at most 90")
    .describe(latitudeDescription),
  lng: z
    .number()
    .min(-180, "must be at least -180")
    .max(180, "must be at most 180")
    .describe(longitudeDescription),
});
inputType("GeographicCoordinatesInput", "A location in WGS 84 coordinates.", geographicCoordinates);

const address = visibleRemark(500)
  .nullish()
  .describe("The postal address, at most 500 characters, not blank unless empty; null if unknown.");

const location = geographicCoordinates.nullish().describe("The location of the facility; null if unknown.");

export type CreateFacilityInput = InstanceType<typeof CreateFacilityInput>;
export const CreateFacilityInput = inputType(
  "CreateFacilityInput",
  "A new facility.",
  z.object({
    name: resourceName,
    timeZoneId: timeZoneId.describe("The IANA time zone of the facility, such as Europe/Istanbul."),
    address,
    geographicCoordinates: location,
    contacts: givenContacts,
  }),
);

export type UpdateFacilityInput = InstanceType<typeof UpdateFacilityInput>;
export const UpdateFacilityInput = inputType(
  "UpdateFacilityInput",
  "The fields of a facility to update. Omitted fields stay unchanged.",
  z.object({
    name: resourceName.optional(),
    timeZoneId: timeZoneId
      .optional()
      .describe(
        "The IANA time zone of the facility, such as Europe/Istanbul. Another zone also applies to the alerts already recorded: they are counted by its days.",
      ),
    address,
    geographicCoordinates: location,
    contacts: givenContacts,
    expectedUpdatedAt,
  }),
);

export type RenameFacilityArguments = InstanceType<typeof RenameFacilityArguments>;
export const RenameFacilityArguments = argumentsType(
  z.object({ id: idField.describe(existingId("the facility")), name: resourceName }),
);
