import { ofCamera } from "../camera/camera.rest.js";
import { ListAlertRulesDocument } from "../generated/operations.js";
import { route } from "../http/route.js";

export const alertRuleRoutes = [
  route({
    number: 11,
    method: "get",
    path: "/cameras/:cameraId/alert_rules",
    summary: "List a camera's alert rules, by name",
    operation: ListAlertRulesDocument,
    input: { path: ofCamera },
    variables: { cameraId: "path.cameraId" },
    response: { envelope: "data", from: ["camera", "alertRules"] },
  }),
];
