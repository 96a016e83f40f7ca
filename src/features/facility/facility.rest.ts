import { route } from "../../engine/route/route.js";
import {
  GetFacilityDocument,
  GetWorkspaceFacilityDocument,
  ListFacilitiesDocument,
  RecordHeartbeatDocument,
  RenameFacilityDocument,
} from "../../generated/operations.js";
import { RenameFacilityArguments } from "./facility.input.js";

export const facilityRoutes = [
  route("GET /facilities", {
    number: 23,
    summary: "List the facilities that are visible to the caller, by name",
    operation: ListFacilitiesDocument,
    response: { envelope: "data" },
  }),
  route("GET /facilities/:facilityId", {
    number: 24,
    summary: "Get a facility",
    operation: GetFacilityDocument,
    variables: { id: "path.facilityId" },
    response: { envelope: "data" },
    permission: "facilities:read",
    facilityParameter: "facilityId",
  }),
  route("GET /workspaces/facilities/:facilityId", {
    number: 26,
    summary: "Get a facility of the caller's workspace, without its camera count",
    operation: GetWorkspaceFacilityDocument,
    variables: { id: "path.facilityId" },
    response: { envelope: "data", schema: "WorkspaceFacility" },
  }),
  route("GET /workspaces/facilities", {
    number: 27,
    operationId: "listWorkspaceFacilities",
    summary: "List the facilities of the caller's workspace that are visible to the caller, by name",
    operation: ListFacilitiesDocument,
    response: { envelope: "data" },
  }),
  route("PATCH /facilities/:facilityId", {
    number: 25,
    summary: "Rename a facility",
    operation: RenameFacilityDocument,
    body: RenameFacilityArguments.rules.pick({ name: true }),
    example: { name: "Istanbul plant" },
    variables: { id: "path.facilityId" },
    response: { envelope: "message", message: "The facility was renamed" },
    permission: "facilities:read",
    lenientMutation: "renameFacility",
  }),
  route("POST /facilities/:facilityId/heartbeat", {
    number: 28,
    summary: "Record a heartbeat of a facility's device",
    operation: RecordHeartbeatDocument,
    response: { envelope: "message", message: "The heartbeat was recorded" },
    accepts: "basic",
    lenientMutation: "recordHeartbeat",
  }),
];
