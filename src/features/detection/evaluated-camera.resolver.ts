import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { RequiresColumns, ReturnsLoaded } from "../../engine/reading/annotations.js";
import { loadReferenced } from "../../engine/reading/load-referenced.js";
import { Selected } from "../../engine/reading/selection/selected-fields.js";
import type { Selection } from "../../engine/reading/selection/selection.js";
import { Prisma } from "../../generated/prisma/client.js";
import { groupBy } from "../../platform/group-by.js";
import { type AlertRuleRow, alertRuleById } from "../alert-rule/alert-rule.loader.js";
import { AlertRule } from "../alert-rule/alert-rule.type.js";
import { type CameraRow, cameraById } from "../camera/camera.loader.js";
import { Camera } from "../camera/camera.type.js";
import { EvaluatedCamera, QuietReason, QuietRule } from "./evaluated-camera.type.js";
import type { SeenCamera } from "./frame-evaluation.js";

/** A quiet rule by its ID. */
interface QuietRuleRecord extends QuietRule {
  alertRuleId: string;
}

interface EvaluatedCameraRecord {
  cameraId: string;
  evaluatedRules: number;
  quietRules: QuietRuleRecord[];
}

/** Cameras with all rules that were quiet, those that are not `evaluated` among them. */
export async function withQuietRules(
  context: RequestContext,
  cameras: readonly SeenCamera[],
): Promise<EvaluatedCameraRecord[]> {
  const rules = await context.visible.query<{ id: string; cameraId: string; evaluated: boolean }>(
    ({ alertRules }) => Prisma.sql`
      SELECT item."id", item."cameraId", item."evaluated" FROM ${alertRules} AS item
      WHERE item."cameraId" = ANY(${cameras.map(({ cameraId }) => cameraId)}::uuid[]) ORDER BY item."name", item."id"`,
  );
  const rulesOf = groupBy(rules, ({ cameraId }) => cameraId);
  return cameras.map(({ cameraId, evaluatedRules, quiet }) => ({
    cameraId,
    evaluatedRules,
    quietRules: (rulesOf.get(cameraId) ?? []).flatMap(({ id, evaluated }) => {
      const reason = evaluated ? quiet[id] : "NOT_EVALUATED";
      return reason ? { alertRuleId: id, reason: QuietReason[reason] } : [];
    }),
  }));
}

@Resolver(() => EvaluatedCamera)
export class EvaluatedCameraResolver {
  @ReturnsLoaded()
  @RequiresColumns()
  @FieldResolver(() => Camera, { description: "The camera." })
  camera(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() { cameraId }: EvaluatedCameraRecord,
  ): Promise<CameraRow> {
    return loadReferenced(context, cameraById, selection, cameraId);
  }
}

@Resolver(() => QuietRule)
export class QuietRuleResolver {
  @ReturnsLoaded()
  @RequiresColumns()
  @FieldResolver(() => AlertRule, { description: "The rule." })
  alertRule(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() { alertRuleId }: QuietRuleRecord,
  ): Promise<AlertRuleRow> {
    return loadReferenced(context, alertRuleById, selection, alertRuleId);
  }
}
