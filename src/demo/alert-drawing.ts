import { once } from "node:events";
import { forkCommand } from "../platform/fork-command.js";
import type { DayTime } from "./camera-pictures.js";
import type { CameraDefinition } from "./fleet-definition.js";
import type { AlertOptions, AlertPicture } from "./scene/scene.js";

/** An alert of a camera of the demo fleet; `index` identifies the camera. */
export interface AlertOfCamera extends AlertOptions {
  index: number;
  definition: CameraDefinition;
  dayTime: DayTime;
}

/**
 * Draws an alert in a separate process. Drawing leaves some 100 MB behind, which the end
 * of the process releases.
 */
export async function drawAlert(alert: AlertOfCamera): Promise<AlertPicture> {
  const drawing = forkCommand("draw-alert", { serialization: "advanced" });
  drawing.send(alert);
  let picture: AlertPicture | undefined;
  drawing.once("message", (message) => {
    picture = message as AlertPicture;
  });
  // Wait for "close": "exit" may come before the last message.
  const [code, signal] = await once(drawing, "close");
  if (!picture)
    throw new Error(`The picture of an alert was not drawn: its process ended with ${signal ?? code}`);
  return picture;
}
