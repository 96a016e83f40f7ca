import { z } from "zod";
import { GetFacilityDocument, GetWorkspaceFacilityDocument, ListFacilitiesDocument } from "../generated/operations.js";
import { uuidParameter } from "../http/parameters.js";
import { route } from "../http/route.js";

/** The path parameter of all paths below a facility. */
export const ofFacility = z.object({ facilityId: uuidParameter });

export const facilityRoutes = [
  route({
    number: 23,
    method: "get",
    path: "/facilities",
    summary: "List the facilities that are visible to the caller, by name",
    operation: ListFacilitiesDocument,
    input: {},
    variables: {},
    response: { envelope: "data", from: ["facilities"] },
  }),
  route({
    number: 24,
    method: "get",
    path: "/facilities/:facilityId",
    summary: "Get a facility",
    operation: GetFacilityDocument,
    input: { path: ofFacility },
    variables: { id: "path.facilityId" },
    response: { envelope: "data", from: ["facility"] },
    permission: "facilities:read",
    facilityParameter: "facilityId",
  }),
  route({
    number: 26,
    method: "get",
    path: "/workspaces/facilities/:facilityId",
    summary: "Get a facility of the caller's workspace, without its camera count",
    operation: GetWorkspaceFacilityDocument,
    input: { path: ofFacility },
    variables: { id: "path.facilityId" },
    response: { envelope: "data", from: ["facility"] },
  }),
  route({
    number: 27,
    method: "get",
    path: "/workspaces/facilities",
    summary: "List the facilities of the caller's workspace that are visible to the caller, by name",
    operation: ListFacilitiesDocument,
    input: {},
    variables: {},
    response: { envelope: "data", from: ["facilities"] },
  }),
];
