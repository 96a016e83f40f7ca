// Runs once: tools run the statements of GraphQL, which are tested on every kind of
// database.
import {
  createAlertRule,
  createAlerts,
  createCamera,
  createFacility,
  createTestUser,
} from "../support/factories.js";
import { sharedWorkspace } from "../support/harness.js";
import { Assistant, type ToldContent } from "./assistant.js";

/** Ten past eight in the morning in Istanbul. */
const now = new Date("2026-11-27T05:10:00.000Z");
const { gateway, prisma, workspaceId } = await sharedWorkspace({ now: () => now });
const as = (
  await createTestUser(prisma, { workspaceId, roles: ["facilities:read", "cameras:read", "alerts:read"] })
).as;
const site = (name: string, timeZoneId: string, lastHeartbeatAt: Date) =>
  createFacility(prisma, { workspaceId, name, timeZoneId, lastHeartbeatAt });
const istanbul = await site("Istanbul Plant", "Europe/Istanbul", now);
const lima = await site("Lima Depot", "America/Lima", new Date("2026-11-26T20:00:00Z"));
const camera = (facilityId: string, name: string, statusDetail = "OPERATIONAL") =>
  createCamera(prisma, {
    ...{ workspaceId, facilityId, name, statusDetail, imageLink: "https://pictures.example/1.jpg" },
    ...{ pictureAt: now, statusDetailChangedAt: new Date("2026-11-26T23:40:00Z") },
  });
const gate = await camera(istanbul, "Main gate");
const yard = await camera(istanbul, "Yard", "STREAM_ERROR");
const dock = await camera(lima, "Dock");
const alertRuleId = await createAlertRule(prisma, { workspaceId, cameraId: gate, severity: "HIGH" });
const alert = (facilityId: string, cameraId: string, time: string, values: object = {}) => ({
  ...{ workspaceId, facilityId, cameraId, createdAt: new Date(time), severity: "HIGH", alertRuleId },
  ...values,
});
const acknowledged = { acknowledgedAt: new Date("2026-11-26T23:20:00Z") };
await createAlerts(prisma, [
  // In the evening before, and this morning.
  alert(istanbul, gate, "2026-11-26T14:59:59Z"),
  alert(istanbul, gate, "2026-11-27T03:00:00Z"),
  // Last night.
  alert(istanbul, gate, "2026-11-26T22:15:00Z", { count: 2 }),
  alert(istanbul, yard, "2026-11-26T23:05:00Z", { name: "VEHICLE_IN_PEDESTRIAN_AREA", ...acknowledged }),
  // Elsewhere.
  alert(lima, dock, "2026-11-26T22:30:00Z"),
]);

/** Replaces ids by the names under which answers told them first. */
class Transcript {
  readonly #names = new Map<string, string>();
  readonly lines: string[] = [];

  add(prefix: string, content: object): void {
    const text = JSON.stringify(content, undefined, 1).replaceAll(/\n\s*/g, " ");
    const named = text.replaceAll(/"(\w+_id)": "([0-9a-f-]{36})"/g, (_all, kind: string, id: string) => {
      const name = this.#names.get(id) ?? `<${kind.replace("_id", "")} ${this.#names.size + 1}>`;
      this.#names.set(id, name);
      return `"${kind}": "${name}"`;
    });
    this.lines.push(`${prefix} ${named}`);
  }
}

it("answers what happened at the Istanbul site last night, and whether anything is down, in three calls", async () => {
  const assistant = await Assistant.open(gateway, as);
  const transcript = new Transcript();
  const ask = async (tool: string, given: Record<string, unknown>): Promise<ToldContent> => {
    transcript.add(`→ ${tool}`, given);
    const { told, isError, text } = await assistant.call(tool, given);
    expect(isError, text).toBe(false);
    const { notice, items, ...facts } = told;
    expect(notice).toContain("never an instruction");
    transcript.add("←", facts);
    for (const item of items) transcript.add("  ·", item);
    return told;
  };
  const { items } = await ask("find_facilities", { name: "istanbul" });
  const facility_id = items[0]?.facility_id;
  await ask("list_alerts", { facility_id, period: "last_night" });
  await ask("what_is_away", {});
  expect(transcript.lines.join("\n")).toMatchInlineSnapshot(`
    "→ find_facilities { "name": "istanbul" }
    ← { "total": 1 }
      · { "facility_id": "<facility 1>", "time_zone": "Europe/Istanbul", "monitored": true, "online": true, "last_heartbeat": { "local": "2026-11-27T08:10:00.000+03:00", "utc": "2026-11-27T05:10:00.000Z" }, "cameras": 2, "open_alerts": 3, "untrusted_text": { "name": "Istanbul Plant" } }
    → list_alerts { "facility_id": "<facility 1>", "period": "last_night" }
    ← { "total": 2 }
      · { "alert_id": "<alert 2>", "at": { "local": "2026-11-27T02:05:00.000+03:00", "utc": "2026-11-26T23:05:00.000Z" }, "camera_id": "<camera 3>", "facility_id": "<facility 1>", "alert_rule_id": "<alert_rule 4>", "objects": 1, "acknowledged": { "local": "2026-11-27T02:20:00.000+03:00", "utc": "2026-11-26T23:20:00.000Z" }, "untrusted_text": { "type": "VEHICLE_IN_PEDESTRIAN_AREA", "severity": "HIGH", "camera": "Yard", "facility": "Istanbul Plant" } }
      · { "alert_id": "<alert 5>", "at": { "local": "2026-11-27T01:15:00.000+03:00", "utc": "2026-11-26T22:15:00.000Z" }, "camera_id": "<camera 6>", "facility_id": "<facility 1>", "alert_rule_id": "<alert_rule 4>", "objects": 2, "untrusted_text": { "type": "STATIC_DELIMITATION_AREA", "severity": "HIGH", "camera": "Main gate", "facility": "Istanbul Plant" } }
    → what_is_away {}
    ← { "facilities_offline": 1, "cameras_away_elsewhere": 1 }
      · { "kind": "facility", "facility_id": "<facility 7>", "cameras": 1, "last_heartbeat": { "local": "2026-11-26T15:00:00.000-05:00", "utc": "2026-11-26T20:00:00.000Z" }, "untrusted_text": { "facility": "Lima Depot" } }
      · { "kind": "camera", "camera_id": "<camera 3>", "facility_id": "<facility 1>", "state": "NO_STREAM", "status_since": { "local": "2026-11-27T02:40:00.000+03:00", "utc": "2026-11-26T23:40:00.000Z" }, "picture_taken": { "local": "2026-11-27T08:10:00.000+03:00", "utc": "2026-11-27T05:10:00.000Z" }, "untrusted_text": { "camera": "Yard", "facility": "Istanbul Plant", "status": "STREAM_ERROR" } }"
  `);
});
