import { z } from "zod";
import { route } from "../../../engine/route/route.js";
import {
  RecordStreamErrorDocument,
  RecordStreamMetadataDocument,
  RecordStreamThumbnailDocument,
} from "../../../generated/operations.js";
import { StreamErrorInput, StreamMetadataInput, StreamThumbnailInput } from "./stream-callback.input.js";

const metadata = StreamMetadataInput.rules.shape;

export const streamCallbackRoutes = [
  route("POST /cameras/thumbnail/:requestId", {
    number: 5,
    summary: "Report a thumbnail of a requested stream",
    operation: RecordStreamThumbnailDocument,
    body: StreamThumbnailInput.rules,
    example: { url: "https://media.example.com/thumbnails/loading-bay.jpg" },
    response: { envelope: "message", message: "The thumbnail was recorded" },
    accepts: "anonymous",
  }),
  route("POST /cameras/metadata/:requestId", {
    number: 6,
    summary: "Report the metadata of a requested stream",
    operation: RecordStreamMetadataDocument,
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
    example: {
      width: "1920",
      height: "1080",
      codec_name: "h264",
      display_aspect_ratio: "16:9",
      pix_fmt: "yuv420p",
      avg_frame_rate: "25/1",
      duration_ts: 900000,
      duration: "10.000000",
      bit_rate: "4000000",
      nb_frames: "250",
    },
    variables: {
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
    response: { envelope: "message", message: "The metadata was recorded" },
    accepts: "anonymous",
  }),
  route("POST /cameras/feedserver/error/:requestId", {
    number: 7,
    summary: "Report that a requested stream cannot be opened",
    operation: RecordStreamErrorDocument,
    body: StreamErrorInput.rules,
    example: { operation: "open", error: "Connection refused" },
    response: { envelope: "message", message: "The error was recorded" },
    accepts: "anonymous",
  }),
];
