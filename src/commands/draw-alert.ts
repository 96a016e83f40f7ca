import { once } from "node:events";
import type { AlertOfCamera } from "../demo/alert-drawing.js";
import { renderScene } from "../demo/camera-pictures.js";

/**
 * Receives an alert from the gateway that started this process, draws the alert, and
 * sends the picture back.
 */
const [{ index, definition, dayTime, ...alert }] = (await once(process, "message")) as [AlertOfCamera];
const scene = await renderScene(index, definition, dayTime);
process.send?.(await scene.renderAlert(alert), () => process.disconnect());
