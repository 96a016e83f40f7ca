import { z } from "zod";
import { route } from "../../engine/route/route.js";
import {
  CreateCameraDocument,
  DeleteCameraDocument,
  GetAnalysisJobDocument,
  GetCalibrationDocument,
  GetCameraDocument,
  ListAnalysisJobsDocument,
  ListCamerasDocument,
  ListFacilityCamerasDocument,
  SetCameraStatusDetailDocument,
  UpdateCameraDocument,
} from "../../generated/operations.js";
import { CreateCameraInput, StatusDetailInput, UpdateCameraInput } from "./camera.input.js";
import { StreamProtocol, StreamType } from "./stream-type.js";

const lowercaseEnum = (values: Record<string, string>) => {
  const names = Object.values(values).map((value) => value.toLowerCase());
  return z.enum(names, { error: `must be one of ${names.join(", ")}` });
};

const { statusDetail, source } = StatusDetailInput.rules.shape;
const streamType = lowercaseEnum(StreamType).describe("How the camera's pictures reach the service.");
const streamProtocol = lowercaseEnum(StreamProtocol).describe("The protocol of the camera's stream.");
const toUpperCase = (value: string) => value.toUpperCase();

/** Endpoint 14 accepts the type of a stream with or without the protocol. */
const streamTypeWithProtocol = z
  .union([streamType, z.object({ type: streamType, protocol: streamProtocol.nullish() })], {
    error: `must be one of ${streamType.options.join(", ")}, or an object with type and protocol`,
  })
  .describe("How the camera's pictures reach the service, alone or with the protocol of its stream.");

type StreamTypeWithProtocol = z.infer<typeof streamTypeWithProtocol>;

const typeOf = (value: StreamTypeWithProtocol) => toUpperCase(typeof value === "string" ? value : value.type);
const protocolOf = (value: StreamTypeWithProtocol) =>
  typeof value === "string" ? undefined : value.protocol?.toUpperCase();

export const cameraRoutes = [
  route("GET /cameras", {
    number: 1,
    summary: "List the cameras that are visible to the caller, by name",
    operation: ListCamerasDocument,
    response: { envelope: "data" },
  }),
  route("GET /cameras/:cameraId", {
    number: 2,
    summary: "Get a camera, as a list with one item",
    operation: GetCameraDocument,
    variables: { id: "path.cameraId" },
    response: { envelope: "single", schema: "CameraSubset" },
  }),
  route("GET /cameras/:cameraId/calibration", {
    number: 8,
    summary: "Get a camera's calibration",
    operation: GetCalibrationDocument,
    response: { envelope: "bare", from: ["camera", "calibration"] },
  }),
  route("GET /cameras/:cameraId/analysis_jobs", {
    number: 9,
    summary: "List a camera's analysis jobs, newest first",
    operation: ListAnalysisJobsDocument,
    response: { envelope: "data", from: ["camera", "analysisJobs"] },
  }),
  route("GET /cameras/:cameraId/analysis_jobs/:jobId", {
    number: 10,
    summary: "Get an analysis job of a camera",
    operation: GetAnalysisJobDocument,
    response: { envelope: "data", from: ["camera", "analysisJob"] },
  }),
  route("GET /facilities/:facilityId/cameras", {
    number: 13,
    summary: "List a facility's cameras, by name",
    operation: ListFacilityCamerasDocument,
    response: { envelope: "data", from: ["facility", "cameras"] },
    permission: "facilities:read",
    facilityParameter: "facilityId",
  }),
  route("PATCH /cameras/:cameraId", {
    number: 3,
    summary: "Update a camera; omitted fields stay unchanged",
    operation: UpdateCameraDocument,
    body: UpdateCameraInput.rules
      .pick({
        name: true,
        url: true,
        emailAddresses: true,
        imageDimensions: true,
        streamType: true,
        streamProtocol: true,
        facilityNodeId: true,
      })
      .extend({ streamType: streamType.optional(), streamProtocol: streamProtocol.optional() }),
    example: {
      name: "Loading bay, north",
      emailAddresses: ["security@example.com"],
      streamType: "direct",
      streamProtocol: "rtsp",
    },
    variables: {
      id: "path.cameraId",
      input: "body",
      "input.streamType": { from: "body.streamType", compute: toUpperCase },
      "input.streamProtocol": { from: "body.streamProtocol", compute: toUpperCase },
    },
    response: { envelope: "message", message: "The camera was updated" },
    permission: "cameras:write",
  }),
  route("DELETE /cameras/:cameraId", {
    number: 4,
    summary: "Delete a camera with its rules and alerts",
    operation: DeleteCameraDocument,
    variables: { id: "path.cameraId" },
    response: { envelope: "message", message: "The camera was deleted" },
    permission: "cameras:write",
  }),
  route("PATCH /cameras/:cameraId/status_detail", {
    number: 12,
    summary: "Set a camera's status detail",
    operation: SetCameraStatusDetailDocument,
    body: z.object({ status_detail: statusDetail, status_detail_source: source }),
    example: { status_detail: "OPERATIONAL", status_detail_source: "TRACKER" },
    variables: {
      id: "path.cameraId",
      "input.statusDetail": "body.status_detail",
      "input.source": "body.status_detail_source",
    },
    response: { envelope: "message", message: "The status detail was updated" },
    accepts: "basic",
    permission: "cameras:write",
  }),
  route("POST /facilities/:facilityId/cameras", {
    number: 14,
    summary: "Add a camera with a stream URL",
    lenientMutation: "createCamera",
    operation: CreateCameraDocument,
    body: CreateCameraInput.rules
      .omit({ streamProtocol: true, contacts: true, note: true, keepClips: true })
      .extend({ streamType: streamTypeWithProtocol }),
    example: {
      name: "Loading bay, north",
      url: "rtsp://camera.example.com:554/stream1",
      streamType: { type: "direct", protocol: "rtsp" },
    },
    variables: {
      input: "body",
      "input.streamType": { from: "body.streamType", compute: typeOf },
      "input.streamProtocol": { from: "body.streamType", compute: protocolOf },
    },
    response: { envelope: "inserted", from: ["createCamera", "camera", "id"] },
  }),
];
