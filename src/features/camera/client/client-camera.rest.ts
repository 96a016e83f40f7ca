import { z } from "zod";
import { filePart, jsonPart } from "../../../engine/route/parameters.js";
import { lookup, route } from "../../../engine/route/route.js";
import { CreateClientCameraDocument, FindFacilityDocument } from "../../../generated/operations.js";
import { CreateClientCameraInput, clientCameraMetadata } from "./client-camera.input.js";

export const clientCameraRoutes = [
  route("POST /facilities/:facilityId/client_cameras", {
    number: 15,
    summary: "Add a camera with an uploaded picture",
    operation: CreateClientCameraDocument,
    body: z.object({
      cameraImage: filePart.describe("A JPEG, PNG or WebP picture"),
      cameraName: CreateClientCameraInput.rules.shape.name,
      metadata: jsonPart
        .pipe(clientCameraMetadata)
        .describe(
          "A JSON object. Its numbers `width` and `height`, if given, override the size of the picture; all of it is kept with the camera.",
        ),
    }),
    example: { cameraImage: "camera.jpg", cameraName: "Gate", metadata: '{"width":1920,"height":1080}' },
    form: { file: "cameraImage", texts: ["cameraName", "metadata"] },
    lenientMutation: "createClientCamera",
    precheck: lookup(FindFacilityDocument, { id: "path.facilityId" }),
    variables: {
      "input.name": "body.cameraName",
      "input.image": "body.cameraImage",
      "input.metadata": "body.metadata",
    },
    response: { envelope: "inserted", from: ["createClientCamera", "id"], message: "The camera was added" },
  }),
];
