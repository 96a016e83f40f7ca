import { RecordHeartbeatDocument, RenameFacilityDocument } from "../generated/operations.js";
import { route } from "../http/route.js";
import { RenameFacilityArguments } from "./facility.input.js";
import { ofFacility } from "./facility.rest.js";

export const facilityWriteRoutes = [
  route({
    number: 25,
    method: "patch",
    path: "/facilities/:facilityId",
    summary: "Rename a facility",
    operation: RenameFacilityDocument,
    input: { path: ofFacility, body: RenameFacilityArguments.rules.pick({ name: true }) },
    variables: { id: "path.facilityId", name: "body.name" },
    response: { envelope: "message", from: ["renameFacility"], message: "The facility was renamed" },
    permission: "facilities:read",
  }),
  route({
    number: 28,
    method: "post",
    path: "/facilities/:facilityId/heartbeat",
    summary: "Record a heartbeat of a facility's device",
    operation: RecordHeartbeatDocument,
    input: { path: ofFacility },
    variables: { facilityId: "path.facilityId" },
    response: { envelope: "message", from: ["recordHeartbeat"], message: "The heartbeat was recorded" },
    accepts: "basic",
  }),
];
