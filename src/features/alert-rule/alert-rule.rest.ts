import { route } from "../../engine/route/route.js";
import { ListAlertRulesDocument } from "../../generated/operations.js";

export const alertRuleRoutes = [
  route("GET /cameras/:cameraId/alert_rules", {
    number: 11,
    summary: "List a camera's alert rules, by name",
    operation: ListAlertRulesDocument,
    response: { envelope: "data", from: ["camera", "alertRules"] },
  }),
];
