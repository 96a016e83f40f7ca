import { Ctx, Field, FieldResolver, Int, Mutation, ObjectType, Resolver, Root } from "type-graphql";
import { z } from "zod";
import { CheckedInTransaction } from "../../../engine/access/checked-in-transaction.js";
import type { RequestContext } from "../../../engine/operation/request-context.js";
import { AsLongAsArgument, OneForEach, RequiresColumns } from "../../../engine/reading/annotations.js";
import { Selected } from "../../../engine/reading/selection/selected-fields.js";
import type { Selection } from "../../../engine/reading/selection/selection.js";
import { ArgumentRules } from "../../../platform/input/input-type.js";
import { PlainArgument, TakesPlainArguments } from "../../../platform/input/plain-argument.js";
import { type AlertRow, loadAlerts } from "../alert.loader.js";
import { Alert } from "../alert.type.js";
import { RecordAlertInput, recordAlertsInput } from "./record-alerts.input.js";
import { type RecordedAlerts, recordAlerts } from "./record-alerts.service.js";

@ObjectType({ description: "The result of recording alerts.", simpleResolvers: true })
class RecordAlertsPayload {
  @Field(() => Int, { description: "The number of new alerts." })
  recorded!: number;

  @Field(() => Int, {
    description: "The number of alerts that had already been recorded with the same content.",
  })
  alreadyRecorded!: number;
}

@Resolver(() => RecordAlertsPayload)
export class RecordAlertsPayloadResolver {
  @AsLongAsArgument()
  @RequiresColumns()
  @FieldResolver(() => [Alert], {
    description:
      "The given alerts in the given order, each once, without alerts that have been deleted since. Recording is faster if this field is not selected.",
  })
  alerts(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() { alertIds }: RecordedAlerts,
  ): Promise<AlertRow[]> {
    return loadAlerts(context, selection, alertIds);
  }
}

@Resolver()
export class RecordAlertsMutations {
  @CheckedInTransaction()
  @OneForEach("input")
  @TakesPlainArguments()
  @ArgumentRules(z.object({ input: recordAlertsInput }))
  @Mutation(() => RecordAlertsPayload, {
    description:
      "Records 1 to 1000 alerts, all or none. Retries are safe: an alert that has already been recorded with the same content is left unchanged; CONFLICT if its content differs. Requires alerts:write at the facility of every camera.",
  })
  recordAlerts(
    @Ctx() context: RequestContext,
    @PlainArgument("input", () => [RecordAlertInput], {
      description:
        "The alerts, 1 to 1000, in any order. Errors name alerts by their position, such as `input.0.createdAt`.",
    })
    input: RecordAlertInput[],
  ): Promise<RecordedAlerts> {
    return recordAlerts(context, input);
  }
}
