import { z } from "zod";
import { RecordStreamErrorDocument, RecordStreamMetadataDocument, RecordStreamThumbnailDocument } from "../generated/operations.js";
import { uuidParameter } from "../http/parameters.js";
import { route } from "../http/route.js";
import { StreamErrorInput, StreamMetadataInput, StreamThumbnailInput } from "./stream-callback.input.js";

const ofRequest = z.object({ requestId: uuidParameter });
const metadata = StreamMetadataInput.rules.shape;

/** The callbacks of the feed server. */
export const streamCallbackRoutes = [
  route({
    number: 5,
    method: "post",
    path: "/cameras/thumbnail/:requestId",
    summary: "Report a thumbnail of a requested stream",
    operation: RecordStreamThumbnailDocument,
    input: { path: ofRequest, body: StreamThumbnailInput.rules },
    variables: { requestId: "path.requestId", input: "body" },
    response: { envelope: "message", from: ["recordStreamThumbnail"], message: "The thumbnail was recorded" },
    accepts: "anonymous",
  }),
  route({
    number: 6,
    method: "post",
    path: "/cameras/metadata/:requestId",
    summary: "Report the metadata of a requested stream",
    operation: RecordStreamMetadataDocument,
    input: {
      path: ofRequest,
      body: z.object({
        width: metadata.width,
        height: metadata.height,
        codec_name: metadata.codecName,
        display_aspect_ratio: metadata.displayAspectRatio,
        pix_fmt: metadata.pixFmt,
        avg_frame_rate: metadata.avgFrameRate,
        duration_ts: metadata.durationTs,
        duration: metadata.duration,
        bit_rate: metadata.bitRate,
        nb_frames: metadata.nbFrames,
      }),
    },
    variables: {
      requestId: "path.requestId",
      "input.width": "body.width",
      "input.height": "body.height",
      "input.codecName": "body.codec_name",
      "input.displayAspectRatio": "body.display_aspect_ratio",
      "input.pixFmt": "body.pix_fmt",
      "input.avgFrameRate": "body.avg_frame_rate",
      "input.durationTs": "body.duration_ts",
      "input.duration": "body.duration",
      "input.bitRate": "body.bit_rate",
      "input.nbFrames": "body.nb_frames",
    },
    response: { envelope: "message", from: ["recordStreamMetadata"], message: "The metadata was recorded" },
    accepts: "anonymous",
  }),
  route({
    number: 7,
    method: "post",
    path: "/cameras/feedserver/error/:requestId",
    summary: "Report that a requested stream cannot be opened",
    operation: RecordStreamErrorDocument,
    input: { path: ofRequest, body: StreamErrorInput.rules },
    variables: { requestId: "path.requestId", input: "body" },
    response: { envelope: "message", from: ["recordStreamError"], message: "The error was recorded" },
    accepts: "anonymous",
  }),
];
