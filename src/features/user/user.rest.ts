import { z } from "zod";
import { exampleIds, filePart, uuidParameter } from "../../engine/route/parameters.js";
import { lookup, route } from "../../engine/route/route.js";
import {
  FindMeDocument,
  GetMeDocument,
  GrantFacilityAccessDocument,
  RemoveFacilityAccessDocument,
  UpdateMeDocument,
  UpdateMyPhoneNumberDocument,
  UpdateMyPictureDocument,
} from "../../generated/operations.js";
import { FacilityAccessArguments, PhoneNumberInput, UpdateMeInput } from "./user.input.js";

const accessBody = FacilityAccessArguments.rules.pick({ actions: true }).extend({
  userId: uuidParameter
    .nullish()
    .describe("The ID of a user of the workspace; by default the caller. An API key has to name one."),
});

const accessExample = { actions: ["alerts:read", "cameras:read"], userId: exampleIds.userId };

export const userRoutes = [
  route("GET /user", {
    number: 29,
    summary: "Read the calling user",
    operation: GetMeDocument,
    response: { envelope: "data" },
    usersOnly: true,
  }),
  route("PATCH /user", {
    number: 30,
    summary: "Change the calling user's profile",
    operation: UpdateMeDocument,
    body: UpdateMeInput.rules,
    example: { firstName: "Ada", lastName: "Lovelace", jobTitle: "Site manager" },
    response: { envelope: "empty" },
    usersOnly: true,
  }),
  route("PATCH /user/picture", {
    number: 31,
    summary: "Change the calling user's picture",
    operation: UpdateMyPictureDocument,
    body: z.object({ image: filePart.describe("A JPEG, PNG or WebP picture") }),
    example: { image: "portrait.jpg" },
    form: { file: "image", texts: [] },
    precheck: lookup(FindMeDocument),
    response: { envelope: "empty" },
    usersOnly: true,
  }),
  route("PATCH /user/phone_number", {
    number: 32,
    summary: "Change the calling user's phone number",
    operation: UpdateMyPhoneNumberDocument,
    body: PhoneNumberInput.rules,
    // This number is reserved for examples.
    example: { phoneNumber: "020 7946 0958", region: "GB" },
    response: { envelope: "message", message: "The phone number was updated" },
    usersOnly: true,
  }),
  route("POST /facilities/:facilityId/give_access", {
    number: 33,
    summary: "Grant a user, by default the caller, actions at a facility",
    operation: GrantFacilityAccessDocument,
    body: accessBody,
    example: accessExample,
    response: { envelope: "message", message: "Access was granted" },
    permission: "users:write",
  }),
  route("POST /facilities/:facilityId/remove_access", {
    number: 34,
    summary: "Revoke actions at a facility from a user, by default the caller",
    operation: RemoveFacilityAccessDocument,
    body: accessBody,
    example: accessExample,
    response: { envelope: "message", message: "Access was removed" },
    permission: "users:write",
  }),
];
