import { z } from "zod";
import { PageByNameArguments } from "../../engine/reading/connection.js";
import { argumentsType, idField, inputType } from "../../platform/input/input-type.js";
import { optionalList } from "../../platform/input/list-rule.js";
import { optionalText } from "../../platform/input/text-rules.js";
import { CameraState } from "./status/camera-state.js";

/** The maximum number of values in a list of the filter. */
const maxListLength = 1000;

const cameraFilter = z.object({
  ids: optionalList(idField, maxListLength).describe(
    "The IDs of the cameras, at most 1000. Cameras that the caller may not see match none.",
  ),
  facilityIds: optionalList(idField, maxListLength).describe(
    "The IDs of the facilities of the cameras, at most 1000. Facilities that the caller may not see match no camera.",
  ),
  statusDetails: optionalList(optionalText(100), maxListLength).describe(
    "Status details, at most 1000, compared exactly with `Camera.statusDetail`, such as STREAM_ERROR.",
  ),
  operational: z
    .boolean()
    .nullish()
    .describe("True for cameras whose `statusDetail` is OPERATIONAL, false for the others, null for both."),
  states: optionalList(z.enum(CameraState), Object.keys(CameraState).length).describe(
    "States, each at most once, as in `Camera.state`.",
  ),
  snoozed: z
    .boolean()
    .nullish()
    .describe(
      "True for cameras that are snoozed at this moment, or one of whose rules is, false for the others, null for both. A snooze of the facility does not count.",
    ),
  text: optionalText(200)
    .min(1, "must not be empty")
    .nullish()
    .describe("A part of the name, in upper or lower case; 1 to 200 characters. There are no wildcards."),
});

export type CameraFilter = InstanceType<typeof CameraFilter>;
export const CameraFilter = inputType(
  "CameraFilter",
  "Selects the cameras that match all given conditions. Conditions that are omitted or null are ignored. An empty list matches no camera.",
  cameraFilter,
);

export type CountCamerasArguments = InstanceType<typeof CountCamerasArguments>;
export const CountCamerasArguments = argumentsType(
  z.object({ filter: cameraFilter.nullish().describe("The cameras to count; all by default.") }),
);

export type SearchCamerasArguments = InstanceType<typeof SearchCamerasArguments>;
export const SearchCamerasArguments = argumentsType(
  PageByNameArguments.rules.extend({
    filter: cameraFilter.nullish().describe("The cameras to list; all by default."),
  }),
);
