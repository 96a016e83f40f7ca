import { ObjectType, registerEnumType } from "type-graphql";
import { BackedBy } from "../reading/annotations.js";
import { cameraFeedErrors } from "./camera-feed-error.loader.js";
import { type FeedErrorCode, feedErrorCodes, feedErrorSentences } from "./feed-error.js";

const byCode = <Value>(valueFor: (code: FeedErrorCode) => Value) =>
  Object.fromEntries(feedErrorCodes.map((code) => [code, valueFor(code)])) as Record<FeedErrorCode, Value>;

/** The codes as an enum of GraphQL. */
export const FeedErrorCodes = byCode((code) => code);

registerEnumType(FeedErrorCodes, {
  name: "FeedErrorCode",
  description: "Why the gateway cannot read a camera's stream.",
  valuesConfig: byCode((code) => ({ description: feedErrorSentences[code] })),
});

@BackedBy(() => cameraFeedErrors)
@ObjectType({ description: "Why the gateway cannot read a camera's stream.", simpleResolvers: true })
export class CameraFeedError {}
