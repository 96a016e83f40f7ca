import { Ctx, FieldResolver, ObjectType, Resolver, Root, registerEnumType } from "type-graphql";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { BackedBy, ReadAhead, RequiresColumns } from "../../engine/reading/annotations.js";
import { Selected } from "../../engine/reading/selection/selected-fields.js";
import type { Selection } from "../../engine/reading/selection/selection.js";
import { defined } from "../../platform/defined.js";
import { DateTimeIso } from "../../platform/input/scalars.js";
import { recordOf } from "../../platform/record.js";
import type { CameraRow } from "../camera/camera.loader.js";
import { Camera } from "../camera/camera.type.js";
import type { StreamRequestRow } from "../camera/stream/stream-request.loader.js";
import { StreamRequest } from "../camera/stream/stream-request.type.js";
import { type CameraFeedErrorRow, cameraFeedErrors, feedErrorByCamera } from "./camera-feed-error.loader.js";
import { type FeedErrorCode, feedErrorCodes, feedErrorSentences } from "./feed-error.js";

const byCode = <Value>(valueFor: (code: FeedErrorCode) => Value) => recordOf(feedErrorCodes, valueFor);

/** The code in a column; undefined if this version does not know it. */
const codeIn = (stored: unknown) => feedErrorCodes.find((code) => code === stored);

const FeedErrorCodes = byCode((code) => code);

registerEnumType(FeedErrorCodes, {
  name: "FeedErrorCode",
  description: "Why the gateway cannot read a camera's stream.",
  valuesConfig: byCode((code) => ({ description: feedErrorSentences[code] })),
});

@BackedBy(() => cameraFeedErrors)
@ObjectType({ description: "Why the gateway cannot read a camera's stream.", simpleResolvers: true })
class CameraFeedError {}

@Resolver(() => CameraFeedError)
export class CameraFeedErrorResolver {
  @RequiresColumns("errorCode")
  @FieldResolver(() => FeedErrorCodes, { description: "The kind of the last failure." })
  code(@Root() { errorCode }: CameraFeedErrorRow): FeedErrorCode {
    return defined(codeIn(errorCode));
  }

  @RequiresColumns("errorCode")
  @FieldResolver(() => String, { description: "A sentence for `code`, in English." })
  message(@Root() { errorCode }: CameraFeedErrorRow): string {
    return feedErrorSentences[defined(codeIn(errorCode))];
  }

  @RequiresColumns("failingSince")
  @FieldResolver(() => DateTimeIso, {
    description:
      "When the first failure since the last picture, or since the stream was requested, happened.",
  })
  since(@Root() { failingSince }: CameraFeedErrorRow): Date {
    return defined(failingSince);
  }
}

@Resolver(() => Camera)
export class CameraFeedResolver {
  @RequiresColumns()
  @ReadAhead(feedErrorByCamera)
  @FieldResolver(() => CameraFeedError, {
    nullable: true,
    description:
      "Why the gateway cannot read the camera's stream; null if it can, has not tried yet, or leaves the stream to a feed server. With the feed turned off, what was known before stays.",
  })
  feedError(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() camera: CameraRow,
  ): Promise<CameraFeedErrorRow | null> {
    return feedErrorByCamera(context, selection).load(camera.id);
  }
}

@Resolver(() => StreamRequest)
export class StreamRequestErrorResolver {
  @RequiresColumns("errorCode")
  @FieldResolver(() => FeedErrorCodes, {
    nullable: true,
    description:
      "The kind of the error, if the gateway opened the stream itself; null if no operation failed, and for reports of a feed server. A later success does not clear it.",
  })
  errorCode(@Root() { errorCode }: StreamRequestRow): FeedErrorCode | null {
    return codeIn(errorCode) ?? null;
  }
}
