import { tools } from "../../src/api/mcp/tools.js";

/** Ids of records, by the names of arguments. */
export interface ToolIds {
  facility_id: string;
  camera_id: string;
  alert_id: string;
  alert_rule_id: string;
}

/** A period that has all alerts of complete facilities. */
const november = { start: "2026-11-01T00:00:00Z", end: "2026-12-01T00:00:00Z" };

/**
 * Valid arguments of each tool: those that it needs, and then those that choose what it
 * tells, one after the other.
 */
export const toolCases: Record<string, (ids: ToolIds) => [needed: object, ...choices: object[]]> = {
  find_facilities: () => [{}, { name: "a" }],
  find_cameras: ({ facility_id }) => [
    {},
    { facility_id },
    { name: "A" },
    { states: ["WORKING", "NO_STREAM"] },
  ],
  what_is_away: ({ facility_id }) => [{}, { facility_id }],
  list_failed_deliveries: () => [{}, { state: "waiting" }, { state: "given_up" }],
  list_alert_rules: ({ camera_id }) => [{ camera_id }],
  list_alerts: ({ facility_id, camera_id }) => [
    november,
    { facility_id },
    { camera_id },
    { types: ["STATIC_DELIMITATION_AREA"] },
    { severities: ["HIGH", "MEDIUM"] },
    { open: true },
    { open: false },
  ],
  get_alert: ({ alert_id }) => [{ alert_id }],
  alert_statistics: ({ facility_id, camera_id }) => [
    { ...november, group_by: ["facility", "camera"] },
    { facility_id },
    { camera_id },
    { group_by: ["type", "severity", "day"] },
    { group_by: ["alert_rule", "hour_of_day"] },
    { group_by: ["day_of_week"] },
    { group_by: ["week"] },
    { group_by: ["month"] },
  ],
  acknowledge_alerts: ({ alert_id }) => [{ alert_ids: [alert_id] }],
  comment_alert: ({ alert_id }) => [{ alert_id, text: "Seen by an assistant" }],
  snooze_camera: ({ camera_id }) => [{ camera_id, minutes: 10 }, { minutes: 0 }],
  snooze_alert_rule: ({ alert_rule_id }) => [{ alert_rule_id, minutes: 10 }, { minutes: 0 }],
};

export const readingTools = tools.filter(({ writes }) => !writes);

/** All arguments with which tests call a tool. */
export function argumentsOf(name: string, ids: ToolIds): Record<string, unknown>[] {
  const [needed, ...choices] = toolCases[name]?.(ids) ?? [{}];
  return [{ ...needed }, ...choices.map((choice) => ({ ...needed, ...choice }))];
}
