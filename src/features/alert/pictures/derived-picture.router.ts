import { Router } from "express";
import type { SignedFiles } from "../../../engine/http/files.js";
import { originOf } from "../../../engine/http/request-origin.js";
import type { GatewayServices } from "../../../engine/operation/gateway-services.js";
import { orNotFound } from "../../../platform/errors/errors.js";
import { annotatedPictures, openAnnotatedPicture } from "./annotated-picture.service.js";
import { openProxiedPicture, proxiedPictures } from "./proxied-picture.service.js";

const kinds = [
  [annotatedPictures, openAnnotatedPicture],
  [proxiedPictures, openProxiedPicture],
] as const;

/**
 * Serves the pictures that the gateway makes of those of alerts, by signed links. Links need no other
 * credentials.
 */
export function derivedPictureRouter(files: SignedFiles, services: GatewayServices): Router {
  const router = Router();
  for (const [keys, open] of kinds) {
    const serve = files.router(keys.folder, async (key, request, response) => {
      const { signal, logEntry } = originOf(request);
      const picture = orNotFound(await open(services, orNotFound(keys.alertOf(key)), { signal, logEntry }));
      if (picture === "in the store") await files.sendObject(key, request, response);
      else response.type("image/jpeg").send(picture);
    });
    router.use(serve);
  }
  return router;
}
