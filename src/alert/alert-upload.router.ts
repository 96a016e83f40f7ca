import { type Request, type Response, Router } from "express";
import type { RequestContext } from "../access/request-context.js";
import { onlyMethods } from "../http/methods.js";
import type { UploadDoor } from "../http/uploads.js";
import { alertUploadPath, openAlertUpload, receiveAlertPicture } from "./alert-upload.service.js";

/** Takes the pictures of alerts, from whoever holds a good link. */
export function alertUploadRouter(door: UploadDoor, contextOf: (request: Request, response: Response) => RequestContext): Router {
  const router = Router();
  router
    .route(`/${alertUploadPath}`)
    .put(async (request, response) => {
      const context = contextOf(request, response);
      const uploadId = await openAlertUpload(context, String(request.query.ticket));
      const body = door.admitFile(request, response);
      await receiveAlertPicture(context, uploadId, { arrival: async () => ({ createReadStream: () => body }) });
      response.status(204).end();
    })
    .all(onlyMethods(["PUT"]));
  return router;
}
