import { facilityTimeZone } from "../facility/facility.loader.js";
import { Prisma } from "../generated/prisma/client.js";
import type { RawWriteAccess } from "../operation/write.js";
import { binaryArray } from "../platform/binary-array.js";
import type { CameraScene, CameraState } from "./detection.js";
import { encodeState } from "./stored-state.js";

/** A camera whose frames are evaluated, with its locked state. */
export interface EvaluatedCamera extends CameraScene {
  cameraId: string;
  /** A text for `decodeState`; null before the first frame. */
  state: string | null;
  /**
   * Another text whenever anything is different that the camera's rules are prepared from.
   */
  rulesVersion: string;
}

/**
 * Locks the states of visible cameras, in the order of the cameras' IDs, which prevents
 * deadlocks. Returns cameras that have a state, in that order. The cameras must be locked
 * before, so that the versions read here are of the rules that the frames meet.
 *
 * A row of a rule is known by its transaction and place (`xmin`, `ctid`), since to read
 * the trees of all rules with each frame takes longer than all else here.
 */
export function lockStates(write: RawWriteAccess, cameraIds: readonly string[]): Promise<EvaluatedCamera[]> {
  const { workspaceId } = write.caller;
  return write.visible.query<EvaluatedCamera>(
    ({ cameras, facilities }) => Prisma.sql`
      SELECT state."cameraId", state."state", camera."imageDimensions", ${facilityTimeZone} AS "timeZoneId",
        concat(${facilityTimeZone}, ' ', camera."imageDimensions", ' ', camera."snoozedUntil", ' ', (
          SELECT string_agg(concat(rule."id", rule.xmin, rule.ctid), ' ' ORDER BY rule."id") FROM "AlertRule" AS rule
          WHERE rule."workspaceId" = ${workspaceId}::uuid AND rule."cameraId" = state."cameraId" AND ${isEvaluated}
        )) AS "rulesVersion"
      FROM "DetectionState" AS state
      JOIN ${cameras} AS camera ON camera."id" = state."cameraId"
      JOIN ${facilities} AS facility ON facility."id" = camera."facilityId"
      WHERE state."workspaceId" = ${workspaceId}::uuid AND state."cameraId" = ANY(${cameraIds}::uuid[])
      ORDER BY state."cameraId" FOR UPDATE OF state`,
  );
}

/** The evaluated rules of visible cameras, as JSON by camera; none for cameras without. */
export async function readRules(
  write: RawWriteAccess,
  cameraIds: readonly string[],
): Promise<Map<string, string>> {
  const { workspaceId } = write.caller;
  const rows = await write.visible.query<{ cameraId: string; rules: string }>(
    ({ cameras }) => Prisma.sql`
      SELECT rule."cameraId", json_agg(json_build_object('id', rule."id", 'name', rule."name", 'group', rule."group", 'dayRange', rule."dayRange",
        'timeRange', CASE WHEN rule."timeRangeStart" IS NOT NULL AND rule."timeRangeEnd" IS NOT NULL THEN
          json_build_object('start', ${milliseconds(Prisma.sql`rule."timeRangeStart"`)}, 'end', ${milliseconds(Prisma.sql`rule."timeRangeEnd"`)}) END,
        'snoozedUntil', ${milliseconds(Prisma.sql`greatest(rule."snoozedUntil", camera."snoozedUntil")`)}) ORDER BY rule."id")::text AS "rules"
      FROM "AlertRule" AS rule JOIN ${cameras} AS camera ON camera."id" = rule."cameraId"
      WHERE rule."workspaceId" = ${workspaceId}::uuid AND rule."cameraId" = ANY(${cameraIds}::uuid[]) AND ${isEvaluated}
      GROUP BY rule."cameraId"`,
  );
  return new Map(rows.map(({ cameraId, rules }) => [cameraId, rules]));
}

const isEvaluated = Prisma.sql`rule."evaluated" AND rule."status" = 'ACTIVE'`;

const milliseconds = (time: Prisma.Sql) => Prisma.sql`(extract(epoch FROM ${time}) * 1000)::int8`;

/**
 * Creates the states of cameras that have none, in the order of the cameras' IDs. Waits
 * for concurrent writers of the same states, so call this before {@link lockStates}.
 */
export function createStates(write: RawWriteAccess, cameraIds: readonly string[]): void {
  const { workspaceId } = write.caller;
  write.send(Prisma.sql`
    INSERT INTO "DetectionState" ("workspaceId", "cameraId")
    SELECT camera."workspaceId", camera."id" FROM "Camera" AS camera
    WHERE camera."workspaceId" = ${workspaceId}::uuid AND camera."id" = ANY(${cameraIds}::uuid[])
    ORDER BY camera."id" ON CONFLICT ("workspaceId", "cameraId") DO NOTHING`);
}

/** Saves the states of cameras that are locked, without waiting for the database. */
export function saveStates(write: RawWriteAccess, states: ReadonlyMap<string, CameraState>): void {
  if (states.size === 0) return;
  const { workspaceId } = write.caller;
  const ids = binaryArray("uuid", [...states.keys()]);
  const texts = binaryArray("text", [...states.values()].map(encodeState));
  write.send(Prisma.sql`
    UPDATE "DetectionState" AS state SET "state" = given."state"
    FROM unnest(${ids}::uuid[], ${texts}::text[]) AS given("cameraId", "state")
    WHERE state."workspaceId" = ${workspaceId}::uuid AND state."cameraId" = given."cameraId"`);
}

/**
 * Saves when rules last fired, without waiting for the database. Their cameras are locked.
 */
export function saveFiringTimes(write: RawWriteAccess, firedAt: ReadonlyMap<string, Date>): void {
  if (firedAt.size === 0) return;
  const { workspaceId } = write.caller;
  const ids = binaryArray("uuid", [...firedAt.keys()]);
  const times = binaryArray("timestamptz", [...firedAt.values()]);
  write.send(Prisma.sql`
    UPDATE "AlertRule" AS rule SET "lastFiredAt" = given."firedAt"
    FROM unnest(${ids}::uuid[], ${times}::timestamptz[]) AS given("id", "firedAt")
    WHERE rule."workspaceId" = ${workspaceId}::uuid AND rule."id" = given."id"`);
}
