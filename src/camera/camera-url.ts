import { z } from "zod";
import { hasAtSignAfterHost, hasStreamScheme, hasWhiteSpace, maxStreamUrlLength } from "./stream-url.js";

/** The URL of a camera or its stream, in a form that all parsers read alike. */
export const cameraUrl = z
  .string("must be a URL")
  .max(maxStreamUrlLength, { error: `must have at most ${maxStreamUrlLength} characters`, abort: true })
  .refine(hasStreamScheme, { error: "must be an rtsp, rtmp, rtmps, http or https URL", abort: true })
  .refine((value) => !hasWhiteSpace(value), "must not contain white space")
  .refine((value) => !hasAtSignAfterHost(value), "must have / ? # and @ in a password percent-encoded")
  .meta({ format: "uri" });
