import type { Router } from "express";
import type { SignedFiles } from "../../http/files.js";
import { originOf } from "../../http/request-origin.js";
import type { GatewayServices } from "../../operation/gateway-services.js";
import { orNotFound } from "../../platform/errors.js";
import { alertOfKey, annotatedFolder, openAnnotatedPicture } from "./annotated-picture.service.js";

/**
 * Serves the annotated pictures of alerts by signed links. Links need no other
 * credentials.
 */
export function annotatedPictureRouter(files: SignedFiles, services: GatewayServices): Router {
  return files.router(annotatedFolder, async (key, request, response) => {
    const { signal, logEntry } = originOf(request);
    const picture = orNotFound(
      await openAnnotatedPicture(services, orNotFound(alertOfKey(key)), { signal, logEntry }),
    );
    if (picture === "in the store") await files.sendObject(key, request, response);
    else response.type("image/jpeg").send(picture);
  });
}
