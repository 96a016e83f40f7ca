import { Int } from "type-graphql";
import { computed, fieldsOf } from "../../../engine/reading/selection/fields.js";
import { cameraById } from "../../camera/camera.loader.js";
import { Camera } from "../../camera/camera.type.js";
import { facilityById } from "../../facility/facility.loader.js";
import { Facility } from "../../facility/facility.type.js";
import { workspaceById } from "../../workspace/workspace.loader.js";
import { Workspace } from "../../workspace/workspace.type.js";

const openAlertCount = (place: string) => ({
  type: () => Int,
  description: `The number of open alerts of the ${place} that are visible to the caller: those that are neither acknowledged nor false positives nor observations.`,
});

export const openAlertCountFields = [
  fieldsOf(Workspace, {
    openAlertCount: { ...openAlertCount("workspace"), ...computed("openAlertCount", workspaceById) },
  }),
  fieldsOf(Facility, {
    openAlertCount: { ...openAlertCount("facility"), ...computed("openAlertCount", facilityById) },
  }),
  fieldsOf(Camera, {
    openAlertCount: { ...openAlertCount("camera"), ...computed("openAlertCount", cameraById) },
  }),
];
