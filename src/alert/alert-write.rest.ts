import { z } from "zod";
import { DeleteAlertsDocument } from "../generated/operations.js";
import { listOf, uuidParameter } from "../http/parameters.js";
import { route } from "../http/route.js";

export const alertWriteRoutes = [
  route({
    number: 20,
    method: "delete",
    path: "/alerts/:alertId",
    summary: "Delete an alert with its picture",
    operation: DeleteAlertsDocument,
    input: { path: z.object({ alertId: uuidParameter }) },
    variables: { ids: { from: "path.alertId", compute: (id: string) => [id] } },
    response: { envelope: "message", from: ["deleteAlerts"], message: "The alert was deleted" },
    permission: "alerts:delete",
  }),
  route({
    number: 21,
    method: "delete",
    path: "/alerts",
    summary: "Delete up to 1000 alerts with their pictures, all or none",
    operation: DeleteAlertsDocument,
    input: { query: z.object({ alertId: listOf(uuidParameter).max(1000, "must list at most 1000") }) },
    variables: { ids: "query.alertId" },
    response: { envelope: "message", from: ["deleteAlerts"], message: "The alerts were deleted" },
    permission: "alerts:delete",
  }),
];
