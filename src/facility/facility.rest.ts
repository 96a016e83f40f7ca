import { z } from "zod";
import { GetFacilityDocument, GetWorkspaceFacilityDocument, ListFacilitiesDocument } from "../generated/operations.js";
import { uuidParameter } from "../http/parameters.js";
import { route } from "../http/route.js";

/** The path parameter of everything below one facility. */
export const ofFacility = z.object({ facilityId: uuidParameter });

export const facilityRoutes = [
  route({
    number: 23,
    method: "get",
    path: "/facilities",
    summary: "List the facilities that the caller sees, by name",
    operation: ListFacilitiesDocument,
    input: {},
    variables: {},
    answer: { envelope: "data", from: ["facilities"] },
  }),
  route({
    number: 24,
    method: "get",
    path: "/facilities/:facilityId",
    summary: "Read a facility",
    operation: GetFacilityDocument,
    input: { path: ofFacility },
    variables: { id: "path.facilityId" },
    answer: { envelope: "data", from: ["facility"] },
    permission: "facilities:read",
    checkedAt: "facilityId",
  }),
  route({
    number: 26,
    method: "get",
    path: "/workspaces/facilities/:facilityId",
    summary: "Read a facility of the caller's workspace, without its number of cameras",
    operation: GetWorkspaceFacilityDocument,
    input: { path: ofFacility },
    variables: { id: "path.facilityId" },
    answer: { envelope: "data", from: ["facility"] },
  }),
  route({
    number: 27,
    method: "get",
    path: "/workspaces/facilities",
    summary: "List the facilities of the caller's workspace that the caller sees, by name",
    operation: ListFacilitiesDocument,
    input: {},
    variables: {},
    answer: { envelope: "data", from: ["facilities"] },
  }),
];
