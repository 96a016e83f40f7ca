import { z } from "zod";
import { ofFacility } from "../facility/facility.rest.js";
import { CreateClientCameraDocument, FindFacilityDocument } from "../generated/operations.js";
import { filePart, jsonPart } from "../http/parameters.js";
import { lookup, route } from "../http/route.js";
import { CreateClientCameraInput, clientCameraMetadata } from "./client-camera.input.js";

export const clientCameraRoutes = [
  route({
    number: 15,
    method: "post",
    path: "/facilities/:facilityId/client_cameras",
    summary: "Add a camera with an uploaded picture",
    operation: CreateClientCameraDocument,
    input: {
      path: ofFacility,
      body: z.object({
        cameraImage: filePart.describe("A JPEG, PNG or WebP picture"),
        cameraName: CreateClientCameraInput.rules.shape.name,
        metadata: jsonPart.pipe(clientCameraMetadata),
      }),
    },
    form: { file: "cameraImage", texts: ["cameraName", "metadata"] },
    precheck: lookup({ operation: FindFacilityDocument, variables: { id: "path.facilityId" }, from: ["facility"] }),
    variables: {
      facilityId: "path.facilityId",
      "input.name": "body.cameraName",
      "input.image": "body.cameraImage",
      "input.metadata": "body.metadata",
    },
    response: { envelope: "inserted", from: ["createClientCamera", "id"], message: "The camera was added" },
  }),
];
