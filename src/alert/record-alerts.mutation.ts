import type { GraphQLResolveInfo } from "graphql";
import { Arg, Ctx, Field, FieldResolver, Info, Int, Mutation, ObjectType, Resolver, Root } from "type-graphql";
import { z } from "zod";
import type { RequestContext } from "../access/request-context.js";
import { ArgumentRules } from "../platform/argument-rules.js";
import { found } from "../platform/errors.js";
import { PlainArgument, TakesPlainArguments } from "../platform/plain-argument.js";
import { Uuid } from "../platform/scalars.js";
import { Reads, selectionOf } from "../platform/selection.js";
import { type AlertRow, alertById, alertKeys } from "./alert.loader.js";
import { Alert } from "./alert.type.js";
import { createAlertUpload } from "./alert-upload.service.js";
import { CreateAlertUploadPayload } from "./alert-upload.type.js";
import { RecordAlertInput, recordAlertsInput } from "./record-alerts.input.js";
import { type RecordedAlerts, recordAlerts } from "./record-alerts.service.js";

@ObjectType({ description: "What became of alerts that were reported.", simpleResolvers: true })
class RecordAlertsPayload {
  @Field(() => Int, { description: "How many are new." })
  recorded!: number;

  @Field(() => Int, { description: "How many were there before, with the same content." })
  alreadyRecorded!: number;
}

@Resolver(() => RecordAlertsPayload)
export class RecordAlertsPayloadResolver {
  @Reads()
  @FieldResolver(() => [Alert], {
    description: "All that were reported, each once, in their order. Recording is faster where they are not asked for.",
  })
  alerts(@Ctx() context: RequestContext, @Info() info: GraphQLResolveInfo, @Root() { alertIds }: RecordedAlerts): Promise<AlertRow[]> {
    const alerts = alertById(context, selectionOf(info, alertKeys));
    return Promise.all(alertIds.map(async (id) => found(await alerts.load(id))));
  }
}

@Resolver()
export class RecordAlertsMutations {
  @TakesPlainArguments()
  @ArgumentRules(z.object({ input: recordAlertsInput }))
  @Mutation(() => RecordAlertsPayload, {
    description:
      "Records 1 to 1000 alerts, all or none. A retry is harmless: an alert that was recorded before with the same content is left as it is; CONFLICT for other content. Needs alerts:write at the facility of every camera.",
  })
  recordAlerts(@Ctx() context: RequestContext, @PlainArgument("input", () => [RecordAlertInput]) input: RecordAlertInput[]): Promise<RecordedAlerts> {
    return recordAlerts(context, input);
  }

  @Mutation(() => CreateAlertUploadPayload, {
    description:
      "Gives leave to send the picture of an alert, past GraphQL and before `recordAlerts`: a JPEG, PNG or WebP picture of at most 50 megapixels and, unless the gateway is set otherwise, 10 MiB. It is stored upright and without its metadata, WebP as JPEG, beside a small picture. Needs alerts:write at the camera's facility, whose alerts may show it.",
  })
  createAlertUpload(@Ctx() context: RequestContext, @Arg("cameraId", () => Uuid) cameraId: string): Promise<CreateAlertUploadPayload> {
    return createAlertUpload(context, cameraId);
  }
}
