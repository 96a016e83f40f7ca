import { once } from "node:events";
import type { AlertOfCamera } from "../demo/alert-drawing.js";
import { renderScene } from "../demo/camera-pictures.js";

/**
 * Draws the alert that the gateway which has started this process sends, and sends the
 * picture back.
 */
const [{ index, definition, ...alert }] = (await once(process, "message")) as [AlertOfCamera];
const scene = await renderScene(index, definition);
process.send?.(await scene.renderAlert(alert), () => process.disconnect());
