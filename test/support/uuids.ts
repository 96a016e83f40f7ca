import { uuidShape } from "../../src/platform/ids/uuid.js";

/** All UUIDs in a text. */
export const uuids = new RegExp(uuidShape, "g");
