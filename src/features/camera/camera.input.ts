import { z } from "zod";
import { expectedUpdatedAt } from "../../engine/operation/expected-version.js";
import { graphqlField, inputType } from "../../platform/input/input-type.js";
import { uuid } from "../../platform/input/scalars.js";
import { emailAddress, printableText, resourceName, visibleRemark } from "../../platform/input/text-rules.js";
import { givenContacts } from "../facility/contact.js";
import { ReportedStatusSource, StatusSource } from "./status/status-source.js";
import { StreamProtocol, StreamType } from "./stream-type.js";
import { hasAtSignAfterHost, hasStreamScheme, hasWhiteSpace, maxStreamUrlLength } from "./stream-url.js";

/** The URL of a camera or its stream, in a form that all parsers read alike. */
const cameraUrl = z
  .string("must be a URL")
  .max(maxStreamUrlLength, { error: `must have at most ${maxStreamUrlLength} characters`, abort: true })
  .refine(hasStreamScheme, { error: "must be an rtsp, rtsps, rtmp, rtmps, http or https URL", abort: true })
  .refine((value) => !hasWhiteSpace(value), "must not contain white space")
  .refine((value) => !hasAtSignAfterHost(value), "must have / ? # and @ in a password percent-encoded")
  .meta({ format: "uri" });

export const pixelCount = z
  .number("must be a number")
  .positive("must be positive")
  .max(1_000_000, "must be at most 1000000")
  .describe("In pixels: greater than 0, at most 1000000.");

export const imageDimensions = z.object(
  { width: pixelCount, height: pixelCount },
  "must be an object with width and height",
);

inputType("ImageDimensionsInput", "A width and a height in pixels.", imageDimensions);

const note = visibleRemark(2000)
  .nullish()
  .describe("What there is to know about the camera, at most 2000 characters; named in mails about outages.");

const keepClips = z
  .boolean("must be true or false")
  .optional()
  .describe(
    "Whether the gateway keeps the camera's last seconds for clips, also without rules that it evaluates.",
  );

const streamTypeDescription = "How the camera's pictures reach the service.";

export type CreateCameraInput = InstanceType<typeof CreateCameraInput>;
export const CreateCameraInput = inputType(
  "CreateCameraInput",
  "A camera with a stream URL.",
  z.object({
    name: resourceName,
    url: cameraUrl.describe(
      "An rtsp, rtsps, rtmp, rtmps, http or https URL of at most 2048 characters. Passwords and tokens in it are shown only to callers with cameras:write.",
    ),
    streamType: z.enum(StreamType).describe(streamTypeDescription),
    streamProtocol: z.enum(StreamProtocol).nullish().describe("The protocol of the stream; null if unknown."),
    facilityNodeId: uuid
      .nullish()
      .describe("The ID of the device at the facility to which the camera is connected; null if unknown."),
    contacts: givenContacts,
    note,
    keepClips,
  }),
);

/** Omitted fields stay unchanged. Fields with `nullish` can be set to null. */
export type UpdateCameraInput = InstanceType<typeof UpdateCameraInput>;
export const UpdateCameraInput = inputType(
  "UpdateCameraInput",
  "The fields of a camera to update. Omitted fields stay unchanged.",
  z.object({
    name: resourceName.optional(),
    url: cameraUrl
      .optional()
      .describe(
        "An rtsp, rtsps, rtmp, rtmps, http or https URL of at most 2048 characters. A changed URL creates a new stream request. Where a part is shown as ***, sending *** keeps the current one, also in place of a password or of a parameter's value.",
      ),
    emailAddresses: z
      .array(emailAddress, "must be a list")
      .max(50, "must list at most 50")
      .optional()
      .describe(
        "The email addresses to which the gateway mails the camera's alerts, except observations, and outages of the camera and its facility; at most 50. Used only if `Workspace.deliveryChannels` lists EMAIL. They replace the current ones.",
      ),
    imageDimensions: imageDimensions
      .optional()
      .describe("The size of the camera's pictures. The next report of its stream's metadata replaces it."),
    streamType: z.enum(StreamType, { error: "must not be null" }).optional().describe(streamTypeDescription),
    streamProtocol: z
      .enum(StreamProtocol, { error: "must not be null" })
      .optional()
      .describe("The protocol of the stream."),
    facilityNodeId: uuid
      .nullish()
      .describe("The ID of the device at the facility to which the camera is connected; null removes it."),
    contacts: givenContacts,
    note,
    keepClips,
    expectedUpdatedAt,
  }),
);

export type StatusDetailInput = InstanceType<typeof StatusDetailInput>;
export const StatusDetailInput = inputType(
  "StatusDetailInput",
  "A status detail to set.",
  z.object({
    statusDetail: printableText(100).describe(
      "OPERATIONAL, STREAM_ERROR or any other text: 1 to 100 printable characters.",
    ),
    source: z
      .enum(ReportedStatusSource, {
        error: `must be one of ${Object.values(ReportedStatusSource).join(", ")}`,
      })
      .describe("Who reports the status detail: anybody but FEED.")
      .register(graphqlField, { type: StatusSource }),
  }),
);
