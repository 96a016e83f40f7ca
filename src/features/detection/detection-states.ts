import type { WriteAccess } from "../../engine/operation/write.js";
import { Prisma } from "../../generated/prisma/client.js";
import { binaryArray } from "../../platform/binary-array.js";
import { maxEvaluatedRules } from "../alert-rule/rule-tree.js";
import { snoozesOfRule } from "../alert-rule/snooze.service.js";
import { facilityTimeZone } from "../facility/facility.loader.js";
import type { CameraScene, EvaluatedRule } from "./evaluation/detection.js";

/** A camera whose frames are evaluated, with its locked state. */
export interface EvaluatedCamera extends CameraScene {
  cameraId: string;
  /** A text for `decodeState`; null before the first frame. */
  state: string | null;
  /** Another text whenever anything is different that the camera's rules are prepared from. */
  rulesVersion: string;
  rulesSize: number;
}

/**
 * Locks the states of visible cameras, in the order of the cameras' IDs, which prevents deadlocks. Returns cameras that
 * have a state, in that order. The cameras must be locked before, so that the versions read here are of the rules that
 * the frames meet. The version stands for the trees of all rules, which take longer to read than all else. It leaves
 * out when rules fired, which is no reason to read them again; each update of a rule has a later `updatedAt`.
 */
export function lockStates(write: WriteAccess, cameraIds: readonly string[]): Promise<EvaluatedCamera[]> {
  const { workspaceId } = write.caller;
  return write.visible.query<EvaluatedCamera>(
    ({ cameras, facilities }) => Prisma.sql`
      SELECT state."cameraId", state."state", camera."imageDimensions", ${facilityTimeZone} AS "timeZoneId",
        concat(${facilityTimeZone}, ' ', camera."imageDimensions", ' ', camera."snoozedAt", ' ', camera."snoozedUntil", ' ',
          facility."snoozedAt", ' ', facility."snoozedUntil", ' ', rules."version") AS "rulesVersion",
        coalesce(rules."size", 0)::int AS "rulesSize"
      FROM "DetectionState" AS state
      JOIN ${cameras} AS camera ON camera."id" = state."cameraId"
      JOIN ${facilities} AS facility ON facility."id" = camera."facilityId"
      CROSS JOIN LATERAL (
        SELECT sum(pg_column_size(rule."group")) AS "size",
          md5(string_agg(concat(rule."id", rule."updatedAt", rule."snoozedAt", rule."snoozedUntil"), ' ' ORDER BY rule."id")) AS "version"
        FROM "AlertRule" AS rule
        WHERE rule."workspaceId" = ${workspaceId}::uuid AND rule."cameraId" = state."cameraId" AND rule."evaluated"
      ) AS rules
      WHERE state."workspaceId" = ${workspaceId}::uuid AND state."cameraId" = ANY(${cameraIds}::uuid[])
      ORDER BY state."cameraId" FOR UPDATE OF state`,
  );
}

export interface StoredRule {
  id: string;
  cameraId: string;
  name: string;
  isActive: boolean;
  dayRange: number[];
  timeRange: EvaluatedRule["timeRange"];
  snoozes: EvaluatedRule["snoozes"];
  /**
   * The condition tree as JSON; null if the rule is not active, one too many, or too large to be read.
   */
  group: string | null;
}

/** No tree within its limits takes as much, even uncompressed. */
const maxStoredBytes = 512 * 1024;

export async function readRules(write: WriteAccess, cameraIds: readonly string[]): Promise<StoredRule[]> {
  const { workspaceId } = write.caller;
  const rows = await write.visible.query<{ facts: string; group: string | null }>(
    ({ cameras, facilities }) => Prisma.sql`
      SELECT json_build_object('id', rule."id", 'cameraId', rule."cameraId", 'name', rule."name", 'isActive', rule."isActive", 'dayRange', rule."dayRange",
          'timeRange', CASE WHEN rule."timeRangeStart" IS NOT NULL AND rule."timeRangeEnd" IS NOT NULL THEN
            json_build_object('start', ${milliseconds(Prisma.sql`rule."timeRangeStart"`)}, 'end', ${milliseconds(Prisma.sql`rule."timeRangeEnd"`)}) END,
          'snoozes', (SELECT coalesce(json_agg(json_build_object('from', ${milliseconds(Prisma.sql`snooze."from"`)}, 'until', ${milliseconds(Prisma.sql`snooze."until"`)})), '[]')
            FROM ${snoozesOfRule} WHERE snooze."from" < snooze."until"))::text AS "facts",
        CASE WHEN rule."isActive" AND rule."rank" <= ${maxEvaluatedRules}::int AND pg_column_size(rule."group") <= ${maxStoredBytes}::int
          THEN rule."group"::text END AS "group"
      FROM (
        SELECT *, "status" = 'ACTIVE' AS "isActive", row_number() OVER (PARTITION BY "cameraId" ORDER BY "createdAt", "id") AS "rank" FROM "AlertRule"
        WHERE "workspaceId" = ${workspaceId}::uuid AND "cameraId" = ANY(${cameraIds}::uuid[]) AND "evaluated"
      ) AS rule JOIN ${cameras} AS camera ON camera."id" = rule."cameraId"
      JOIN ${facilities} AS facility ON facility."id" = camera."facilityId"
      ORDER BY rule."id"`,
  );
  return rows.map(({ facts, group }) => ({ ...JSON.parse(facts), group }));
}

const milliseconds = (time: Prisma.Sql) => Prisma.sql`(extract(epoch FROM ${time}) * 1000)::int8`;

/**
 * Creates the states of cameras that have none, in the order of the cameras' IDs. Waits for concurrent
 * writers of the same states, so call this before {@link lockStates}.
 */
export function createStates(write: WriteAccess, cameraIds: readonly string[]): void {
  const { workspaceId } = write.caller;
  write.send(Prisma.sql`
    INSERT INTO "DetectionState" ("workspaceId", "cameraId")
    SELECT camera."workspaceId", camera."id" FROM "Camera" AS camera
    WHERE camera."workspaceId" = ${workspaceId}::uuid AND camera."id" = ANY(${cameraIds}::uuid[])
    ORDER BY camera."id" ON CONFLICT ("workspaceId", "cameraId") DO NOTHING`);
}

/** Saves the states of cameras that are locked, as texts of `encodeState`, without waiting for the database. */
export function saveStates(write: WriteAccess, states: ReadonlyMap<string, string>): void {
  if (states.size === 0) return;
  const { workspaceId } = write.caller;
  const ids = binaryArray("uuid", [...states.keys()]);
  const texts = binaryArray("text", [...states.values()]);
  write.send(Prisma.sql`
    UPDATE "DetectionState" AS state SET "state" = given."state"
    FROM unnest(${ids}::uuid[], ${texts}::text[]) AS given("cameraId", "state")
    WHERE state."workspaceId" = ${workspaceId}::uuid AND state."cameraId" = given."cameraId"`);
}

/** Saves when rules last fired, without waiting for the database. Their cameras are locked. */
export function saveFiringTimes(write: WriteAccess, firedAt: ReadonlyMap<string, Date>): void {
  if (firedAt.size === 0) return;
  const { workspaceId } = write.caller;
  const ids = binaryArray("uuid", [...firedAt.keys()]);
  const times = binaryArray("timestamptz", [...firedAt.values()]);
  write.send(Prisma.sql`
    UPDATE "AlertRule" AS rule SET "lastFiredAt" = given."firedAt"
    FROM unnest(${ids}::uuid[], ${times}::timestamptz[]) AS given("id", "firedAt")
    WHERE rule."workspaceId" = ${workspaceId}::uuid AND rule."id" = given."id"`);
}
