import { z } from "zod";
import {
  FindMeDocument,
  GetMeDocument,
  GrantFacilityAccessDocument,
  RemoveFacilityAccessDocument,
  UpdateMeDocument,
  UpdateMyPhoneNumberDocument,
  UpdateMyPictureDocument,
} from "../generated/operations.js";
import { filePart, uuidParameter } from "../http/parameters.js";
import { lookup, route } from "../http/route.js";
import { FacilityAccessArguments, PhoneNumberInput, UpdateMeInput } from "./user.input.js";

const accessBody = FacilityAccessArguments.rules.omit({ facilityId: true }).extend({ userId: uuidParameter.nullish() });

export const userRoutes = [
  route("GET /user", {
    number: 29,
    summary: "Read the calling user",
    operation: GetMeDocument,
    response: { envelope: "data" },
  }),
  route("PATCH /user", {
    number: 30,
    summary: "Change the calling user's profile",
    operation: UpdateMeDocument,
    body: UpdateMeInput.rules,
    response: { envelope: "empty" },
  }),
  route("PATCH /user/picture", {
    number: 31,
    summary: "Change the calling user's picture",
    operation: UpdateMyPictureDocument,
    body: z.object({ image: filePart.describe("A JPEG, PNG or WebP picture") }),
    form: { file: "image", texts: [] },
    precheck: lookup(FindMeDocument),
    response: { envelope: "empty" },
  }),
  route("PATCH /user/phone_number", {
    number: 32,
    summary: "Change the calling user's phone number",
    operation: UpdateMyPhoneNumberDocument,
    body: PhoneNumberInput.rules,
    response: { envelope: "message", message: "The phone number was updated" },
  }),
  route("POST /facilities/:facilityId/give_access", {
    number: 33,
    summary: "Grant a user, by default the caller, actions at a facility",
    operation: GrantFacilityAccessDocument,
    body: accessBody,
    response: { envelope: "message", message: "Access was granted" },
    permission: "users:write",
  }),
  route("POST /facilities/:facilityId/remove_access", {
    number: 34,
    summary: "Revoke actions at a facility from a user, by default the caller",
    operation: RemoveFacilityAccessDocument,
    body: accessBody,
    response: { envelope: "message", message: "Access was removed" },
    permission: "users:write",
  }),
];
