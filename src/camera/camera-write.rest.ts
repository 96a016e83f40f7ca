import { z } from "zod";
import { ofFacility } from "../facility/facility.rest.js";
import { CreateCameraDocument, DeleteCameraDocument, SetCameraStatusDetailDocument, UpdateCameraDocument } from "../generated/operations.js";
import { StreamProtocol, StreamType } from "../generated/prisma/enums.js";
import { route } from "../http/route.js";
import { createCameraInput, statusDetailInput, updateCameraInput } from "./camera.input.js";
import { ofCamera } from "./camera.rest.js";

/** An enum as the interface specification writes it: in small letters. */
const inSmallLetters = (values: Record<string, string>) => {
  const names = Object.values(values).map((value) => value.toLowerCase());
  return z.enum(names, { error: `must be one of ${names.join(", ")}` });
};

const streamType = inSmallLetters(StreamType);
const streamProtocol = inSmallLetters(StreamProtocol);
const toCapitals = (value: string) => value.toUpperCase();

/** Endpoint 14 takes the type of a stream alone, or with the protocol. */
const streamTypeWithProtocol = z.union([streamType, z.object({ type: streamType, protocol: streamProtocol.nullish() })], {
  error: `must be one of ${streamType.options.join(", ")}, or an object of type and protocol`,
});

type StreamTypeWithProtocol = z.infer<typeof streamTypeWithProtocol>;

const typeOf = (value: StreamTypeWithProtocol) => toCapitals(typeof value === "string" ? value : value.type);
const protocolOf = (value: StreamTypeWithProtocol) => (typeof value === "string" ? undefined : value.protocol?.toUpperCase());

export const cameraWriteRoutes = [
  route({
    number: 3,
    method: "patch",
    path: "/cameras/:cameraId",
    summary: "Change a camera: what is not given stays as it is",
    operation: UpdateCameraDocument,
    input: {
      path: ofCamera,
      body: updateCameraInput.extend({ streamType: streamType.optional(), streamProtocol: streamProtocol.optional() }),
    },
    variables: {
      id: "path.cameraId",
      "input.name": "body.name",
      "input.url": "body.url",
      "input.emailAddresses": "body.emailAddresses",
      "input.imageDimensions": "body.imageDimensions",
      "input.streamType": { from: "body.streamType", compute: toCapitals },
      "input.streamProtocol": { from: "body.streamProtocol", compute: toCapitals },
      "input.facilityNodeId": "body.facilityNodeId",
    },
    answer: { envelope: "message", from: ["updateCamera"], message: "The camera was updated" },
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
    answer: { envelope: "message", from: ["deleteCamera"], message: "The camera was deleted" },
    permission: "cameras:write",
  }),
  route({
    number: 12,
    method: "patch",
    path: "/cameras/:cameraId/status_detail",
    summary: "Report a camera's status detail",
    operation: SetCameraStatusDetailDocument,
    input: {
      path: ofCamera,
      body: z.object({ status_detail: statusDetailInput.shape.statusDetail, status_detail_source: statusDetailInput.shape.source }),
    },
    variables: { id: "path.cameraId", "input.statusDetail": "body.status_detail", "input.source": "body.status_detail_source" },
    answer: { envelope: "message", from: ["setCameraStatusDetail"], message: "The status detail was updated" },
    accepts: "basic",
    permission: "cameras:write",
  }),
  route({
    number: 14,
    method: "post",
    path: "/facilities/:facilityId/cameras",
    summary: "Add a camera by its address",
    operation: CreateCameraDocument,
    input: {
      path: ofFacility,
      body: createCameraInput.omit({ streamProtocol: true }).extend({ streamType: streamTypeWithProtocol }),
    },
    variables: {
      facilityId: "path.facilityId",
      "input.name": "body.name",
      "input.url": "body.url",
      "input.streamType": { from: "body.streamType", compute: typeOf },
      "input.streamProtocol": { from: "body.streamType", compute: protocolOf },
      "input.facilityNodeId": "body.facilityNodeId",
    },
    answer: { envelope: "inserted", from: ["createCamera", "camera", "id"] },
  }),
];
