import { z } from "zod";
import { ofFacility } from "../facility/facility.rest.js";
import {
  GetAnalysisJobDocument,
  GetCalibrationDocument,
  GetCameraDocument,
  ListAnalysisJobsDocument,
  ListCamerasDocument,
  ListFacilityCamerasDocument,
} from "../generated/operations.js";
import { uuidParameter } from "../http/parameters.js";
import { route } from "../http/route.js";

/** The path parameter of all paths below a camera. */
export const ofCamera = z.object({ cameraId: uuidParameter });

export const cameraRoutes = [
  route({
    number: 1,
    method: "get",
    path: "/cameras",
    summary: "List the cameras that are visible to the caller, by name",
    operation: ListCamerasDocument,
    input: {},
    variables: {},
    response: { envelope: "data", from: ["cameras"] },
  }),
  route({
    number: 2,
    method: "get",
    path: "/cameras/:cameraId",
    summary: "Get a camera, as a list with one item",
    operation: GetCameraDocument,
    input: { path: ofCamera },
    variables: { id: "path.cameraId" },
    response: { envelope: "single", from: ["camera"] },
  }),
  route({
    number: 8,
    method: "get",
    path: "/cameras/:cameraId/calibration",
    summary: "Get a camera's calibration",
    operation: GetCalibrationDocument,
    input: { path: ofCamera },
    variables: { cameraId: "path.cameraId" },
    response: { envelope: "bare", from: ["camera", "calibration"] },
  }),
  route({
    number: 9,
    method: "get",
    path: "/cameras/:cameraId/analysis_jobs",
    summary: "List a camera's analysis jobs, newest first",
    operation: ListAnalysisJobsDocument,
    input: { path: ofCamera },
    variables: { cameraId: "path.cameraId" },
    response: { envelope: "data", from: ["camera", "analysisJobs"] },
  }),
  route({
    number: 10,
    method: "get",
    path: "/cameras/:cameraId/analysis_jobs/:jobId",
    summary: "Get an analysis job of a camera",
    operation: GetAnalysisJobDocument,
    input: { path: ofCamera.extend({ jobId: uuidParameter }) },
    variables: { cameraId: "path.cameraId", jobId: "path.jobId" },
    response: { envelope: "data", from: ["camera", "analysisJob"] },
  }),
  route({
    number: 13,
    method: "get",
    path: "/facilities/:facilityId/cameras",
    summary: "List a facility's cameras, by name",
    operation: ListFacilityCamerasDocument,
    input: { path: ofFacility },
    variables: { facilityId: "path.facilityId" },
    response: { envelope: "data", from: ["facility", "cameras"] },
    permission: "facilities:read",
    facilityParameter: "facilityId",
  }),
];
