import { z } from "zod";
import { ofFacility } from "../facility/facility.rest.js";
import {
  FindMeDocument,
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
const accessVariables = { facilityId: "path.facilityId", actions: "body.actions", userId: "body.userId" };

export const userWriteRoutes = [
  route({
    number: 30,
    method: "patch",
    path: "/user",
    summary: "Change the calling user's profile",
    operation: UpdateMeDocument,
    input: { body: UpdateMeInput.rules },
    variables: { input: "body" },
    response: { envelope: "empty", from: ["updateMe"] },
  }),
  route({
    number: 31,
    method: "patch",
    path: "/user/picture",
    summary: "Change the calling user's picture",
    operation: UpdateMyPictureDocument,
    input: { body: z.object({ image: filePart.describe("A JPEG, PNG or WebP picture") }) },
    form: { file: "image", texts: [] },
    precheck: lookup({ operation: FindMeDocument, variables: {}, from: ["me"] }),
    variables: { image: "body.image" },
    response: { envelope: "empty", from: ["updateMyPicture"] },
  }),
  route({
    number: 32,
    method: "patch",
    path: "/user/phone_number",
    summary: "Change the calling user's phone number",
    operation: UpdateMyPhoneNumberDocument,
    input: { body: PhoneNumberInput.rules },
    variables: { input: "body" },
    response: { envelope: "message", from: ["updateMyPhoneNumber"], message: "The phone number was updated" },
  }),
  route({
    number: 33,
    method: "post",
    path: "/facilities/:facilityId/give_access",
    summary: "Grant a user, by default the caller, actions at a facility",
    operation: GrantFacilityAccessDocument,
    input: { path: ofFacility, body: accessBody },
    variables: accessVariables,
    response: { envelope: "message", from: ["grantFacilityAccess"], message: "Access was granted" },
    permission: "users:write",
  }),
  route({
    number: 34,
    method: "post",
    path: "/facilities/:facilityId/remove_access",
    summary: "Revoke actions at a facility from a user, by default the caller",
    operation: RemoveFacilityAccessDocument,
    input: { path: ofFacility, body: accessBody },
    variables: accessVariables,
    response: { envelope: "message", from: ["removeFacilityAccess"], message: "Access was removed" },
    permission: "users:write",
  }),
];
