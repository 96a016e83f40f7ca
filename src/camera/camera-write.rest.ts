import { z } from "zod";
import { ofFacility } from "../facility/facility.rest.js";
import { CreateCameraDocument, DeleteCameraDocument, SetCameraStatusDetailDocument, UpdateCameraDocument } from "../generated/operations.js";
import { StreamProtocol, StreamType } from "../generated/prisma/enums.js";
import { route } from "../http/route.js";
import { CreateCameraInput, StatusDetailInput, UpdateCameraInput } from "./camera.input.js";
import { ofCamera } from "./camera.rest.js";

/** An enum with lowercase values, as in the interface specification. */
const lowercaseEnum = (values: Record<string, string>) => {
  const names = Object.values(values).map((value) => value.toLowerCase());
  return z.enum(names, { error: `must be one of ${names.join(", ")}` });
};

const { statusDetail, source } = StatusDetailInput.rules.shape;
const streamType = lowercaseEnum(StreamType);
const streamProtocol = lowercaseEnum(StreamProtocol);
const toUpperCase = (value: string) => value.toUpperCase();

/** Endpoint 14 accepts the type of a stream alone or with the protocol. */
const streamTypeWithProtocol = z.union([streamType, z.object({ type: streamType, protocol: streamProtocol.nullish() })], {
  error: `must be one of ${streamType.options.join(", ")}, or an object with type and protocol`,
});

type StreamTypeWithProtocol = z.infer<typeof streamTypeWithProtocol>;

const typeOf = (value: StreamTypeWithProtocol) => toUpperCase(typeof value === "string" ? value : value.type);
const protocolOf = (value: StreamTypeWithProtocol) => (typeof value === "string" ? undefined : value.protocol?.toUpperCase());

export const cameraWriteRoutes = [
  route({
    number: 3,
    method: "patch",
    path: "/cameras/:cameraId",
    summary: "Update a camera; omitted fields stay unchanged",
    operation: UpdateCameraDocument,
    input: {
      path: ofCamera,
      body: UpdateCameraInput.rules.extend({ streamType: streamType.optional(), streamProtocol: streamProtocol.optional() }),
    },
    variables: {
      id: "path.cameraId",
      input: "body",
      "input.streamType": { from: "body.streamType", compute: toUpperCase },
      "input.streamProtocol": { from: "body.streamProtocol", compute: toUpperCase },
    },
    response: { envelope: "message", from: ["updateCamera"], message: "The camera was updated" },
    permission: "cameras:write",
  }),
  route({
    number: 4,
    method: "delete",
    path: "/cameras/:cameraId",
    summary: "Delete a camera with its rules and alerts",
    operation: DeleteCameraDocument,
    input: { path: ofCamera },
    variables: { id: "path.cameraId" },
    response: { envelope: "message", from: ["deleteCamera"], message: "The camera was deleted" },
    permission: "cameras:write",
  }),
  route({
    number: 12,
    method: "patch",
    path: "/cameras/:cameraId/status_detail",
    summary: "Set a camera's status detail",
    operation: SetCameraStatusDetailDocument,
    input: {
      path: ofCamera,
      body: z.object({ status_detail: statusDetail, status_detail_source: source }),
    },
    variables: { id: "path.cameraId", "input.statusDetail": "body.status_detail", "input.source": "body.status_detail_source" },
    response: { envelope: "message", from: ["setCameraStatusDetail"], message: "The status detail was updated" },
    accepts: "basic",
    permission: "cameras:write",
  }),
  route({
    number: 14,
    method: "post",
    path: "/facilities/:facilityId/cameras",
    summary: "Add a camera with a stream URL",
    operation: CreateCameraDocument,
    input: {
      path: ofFacility,
      body: CreateCameraInput.rules.omit({ streamProtocol: true }).extend({ streamType: streamTypeWithProtocol }),
    },
    variables: {
      facilityId: "path.facilityId",
      input: "body",
      "input.streamType": { from: "body.streamType", compute: typeOf },
      "input.streamProtocol": { from: "body.streamType", compute: protocolOf },
    },
    response: { envelope: "inserted", from: ["createCamera", "camera", "id"] },
  }),
];
