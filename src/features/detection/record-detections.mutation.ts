import { Ctx, Field, FieldResolver, Int, Mutation, ObjectType, Resolver, Root } from "type-graphql";
import { z } from "zod";
import { CheckedInTransaction } from "../../engine/access/checked-in-transaction.js";
import { CountedByItself } from "../../engine/access/counted-by-itself.js";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { AsLongAsArgument, OneForEach, RequiresColumns } from "../../engine/reading/annotations.js";
import { Selected } from "../../engine/reading/selection/selected-fields.js";
import type { Selection } from "../../engine/reading/selection/selection.js";
import { ArgumentRules } from "../../platform/input/input-type.js";
import { PlainArgument, TakesPlainArguments } from "../../platform/input/plain-argument.js";
import { type AlertRow, loadAlerts } from "../alert/alert.loader.js";
import { Alert } from "../alert/alert.type.js";
import { DetectionFrameInput, detectionFrames, frameLimits } from "./detection-frame.input.js";
import { withQuietRules } from "./evaluated-camera.resolver.js";
import { EvaluatedCamera } from "./evaluated-camera.type.js";
import { type RecordedDetections, recordDetections } from "./record-detections.service.js";

@ObjectType({ description: "The result of recording detections.", simpleResolvers: true })
class RecordDetectionsPayload {
  @Field(() => Int, {
    description:
      "The number of frames that were evaluated, those of cameras without evaluated rules included.",
  })
  processed!: number;

  @Field(() => Int, {
    description:
      "The number of frames that were dropped, because they were not later than the camera's last one.",
  })
  dropped!: number;

  @Field(() => Int, {
    description:
      "The number of objects that were left out, because nothing of their boxes is in their frame.",
  })
  ignoredObjects!: number;
}

@Resolver(() => RecordDetectionsPayload)
export class RecordDetectionsPayloadResolver {
  @AsLongAsArgument()
  @RequiresColumns()
  @FieldResolver(() => [Alert], {
    description: "The alerts that the frames raised, in the order of their `createdAt`.",
  })
  alerts(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() { alertIds }: RecordedDetections,
  ): Promise<AlertRow[]> {
    return loadAlerts(context, selection, alertIds);
  }

  @AsLongAsArgument()
  @RequiresColumns()
  @FieldResolver(() => [EvaluatedCamera], {
    description:
      "The cameras of the frames, and which of their rules could raise nothing for the last frame that was sent of each, and why.",
  })
  cameras(
    @Ctx() context: RequestContext,
    @Root() { cameras }: RecordedDetections,
  ): Promise<EvaluatedCamera[]> {
    return withQuietRules(context, cameras);
  }
}

@Resolver()
export class RecordDetectionsMutations {
  @CheckedInTransaction()
  @CountedByItself()
  @OneForEach("input")
  @TakesPlainArguments()
  @ArgumentRules(z.object({ input: detectionFrames }))
  @Mutation(() => RecordDetectionsPayload, {
    description:
      "Takes what detectors see in 1 to 1000 frames, and records the alerts that the `evaluated` rules of their cameras raise, all or nothing. The rules go by the time at which frames were taken. Frames may be split into requests in any way, and sent to any instances, but those of a camera in their order. Retries are safe: frames that are not later than the camera's last one are dropped. The ID of an alert is the UUID of version 5 of its `createdAt` in the namespace of its rule's ID. Without an upload, an alert shows a frame of the camera's live view that was read within 5 seconds of it, if the instance reads it. Frames that are older than 24 hours raise alerts of which nobody is notified. A caller may send `RATE_LIMIT_DETECTIONS` frames per minute, 30000 by default; a request with this field alone does not count otherwise, unless it fails. Requires alerts:write at the facility of every camera.",
  })
  recordDetections(
    @Ctx() context: RequestContext,
    @PlainArgument("input", () => [DetectionFrameInput], {
      description: `The frames: ${frameLimits}, in any order. Errors name frames by their position, such as \`input.0.objects.3.label\`.`,
    })
    input: DetectionFrameInput[],
  ): Promise<RecordedDetections> {
    return recordDetections(context, input);
  }
}
