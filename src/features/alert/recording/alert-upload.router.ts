import { Router } from "express";
import { methodNotAllowed } from "../../../engine/http/methods.js";
import { originOf } from "../../../engine/http/request-origin.js";
import type { UploadLimiter } from "../../../engine/http/uploads.js";
import type { GatewayServices } from "../../../engine/operation/gateway-services.js";
import { alertUploadPath, openAlertUpload, receiveAlertFile } from "./alert-upload.service.js";

/** Receives the pictures and clips of alerts by signed links. Links need no other credentials. */
export function alertUploadRouter(uploads: UploadLimiter, services: GatewayServices): Router {
  const router = Router();
  router
    .route(`/${alertUploadPath}`)
    .put(async (request, response) => {
      const { context, uploadId, kind } = await openAlertUpload(
        { services, origin: originOf(request) },
        String(request.query.ticket),
      );
      await uploads.withFile(kind, request, response, context, (sent) =>
        receiveAlertFile(context, { uploadId, kind }, sent),
      );
      response.status(204).end();
    })
    .all(methodNotAllowed(["PUT"]));
  return router;
}
