import { randomUUID } from "node:crypto";
import {
  createAdmin,
  createAlertRule,
  createCamera,
  createFacility,
  createWorkspace,
  type TestUser,
} from "../support/factories.js";
import { type Gateway, refusal, run } from "../support/harness.js";

/** A frame as sent, valid or not. */
export interface Frame {
  cameraId: string;
  at: string;
  width?: number;
  height?: number;
  objects?: object[];
  uploadId?: string;
}

/** The result of recording detections. */
export interface DetectionResult {
  processed: number;
  dropped: number;
  alerts: { id: string; createdAt: string }[];
}

export const recordDetections =
  "mutation ($input: [DetectionFrameInput!]!) { recordDetections(input: $input) { processed dropped alerts { id createdAt } } }";

/** An area in the left half of a picture of 640 × 480 pixels. */
export const leftHalf = {
  id: "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa",
  type: "AREA",
  name: "Left half",
  points: [
    { x: 0, y: 0 },
    { x: 320, y: 0 },
    { x: 320, y: 480 },
    { x: 0, y: 480 },
  ],
};

/** A tree that persons in the left half satisfy at once. */
export const personsInLeftHalf = (rule: object = {}, leaf: object = {}) => ({
  id: randomUUID(),
  type: "GROUP",
  operator: "AND",
  children: [
    leftHalf,
    {
      id: randomUUID(),
      type: "STATIC_DELIMITATION_AREA",
      objects: ["person"],
      minSeconds: 0,
      ...leaf,
    },
  ],
  ...rule,
});

/** A person who stands at a point. */
export const person = (x = 100, y = 200, others: object = {}) => ({
  label: "person",
  confidence: 0.9,
  box: { x: x - 10, y: y - 40, width: 20, height: 40 },
  ...others,
});

/** A workspace with a camera, and a user with every permission who sends detections. */
export class Detector {
  private constructor(
    readonly gateway: Gateway,
    readonly workspaceId: string,
    readonly admin: TestUser,
    readonly facilityId: string,
    readonly cameraId: string,
    /** The time of the first frame. */
    readonly start: number,
  ) {}

  static async open(gateway: Gateway): Promise<Detector> {
    const workspaceId = await createWorkspace(gateway.prisma);
    const admin = await createAdmin(gateway.prisma, workspaceId);
    const facilityId = await createFacility(gateway.prisma, { workspaceId, name: "Site" });
    const cameraId = await newCamera(gateway, workspaceId, facilityId);
    return new Detector(gateway, workspaceId, admin, facilityId, cameraId, Date.now() - 3_600_000);
  }

  newCamera(facilityId = this.facilityId): Promise<string> {
    return newCamera(this.gateway, this.workspaceId, facilityId);
  }

  /** Adds an evaluated rule, by default about persons in the left half of the picture. */
  newRule(values: Partial<Parameters<typeof createAlertRule>[1]> = {}): Promise<string> {
    return createAlertRule(this.gateway.prisma, {
      workspaceId: this.workspaceId,
      cameraId: this.cameraId,
      evaluated: true,
      dayRange: [0, 1, 2, 3, 4, 5, 6],
      group: personsInLeftHalf({ cooldownSeconds: 0 }),
      ...values,
    });
  }

  /** A frame of the camera, some seconds after the first. */
  frame(seconds: number, objects: object[] = [person()], values: Partial<Frame> = {}): Frame {
    const at = new Date(this.start + seconds * 1000).toISOString();
    return { cameraId: this.cameraId, at, width: 640, height: 480, objects, ...values };
  }

  async send(input: Frame[], as = this.admin): Promise<DetectionResult> {
    const answer = await run<{ recordDetections: DetectionResult }>(this.gateway, as, [
      recordDetections,
      { input },
    ]);
    return answer.recordDetections;
  }

  refused(input: unknown, as = this.admin): ReturnType<typeof refusal> {
    return refusal(this.gateway, as, [recordDetections, { input }]);
  }

  /** Uploads a picture for an alert of the camera, and returns the id of the upload. */
  async upload(picture: Buffer): Promise<string> {
    const { createAlertUpload } = await run<{ createAlertUpload: { uploadId: string; url: string } }>(
      this.gateway,
      this.admin,
      ["mutation ($id: UUID!) { createAlertUpload(cameraId: $id) { uploadId url } }", { id: this.cameraId }],
    );
    const { pathname, search } = new URL(createAlertUpload.url);
    const body = Uint8Array.from(picture);
    const { status } = await this.gateway.fetch(pathname + search, { method: "PUT", body });
    if (status !== 204) throw new Error(`The upload is answered by ${status}`);
    return createAlertUpload.uploadId;
  }

  /** All alerts of the workspace, the oldest first. */
  alerts() {
    return this.gateway.prisma.alert.findMany({
      where: { workspaceId: this.workspaceId },
      orderBy: [{ createdAt: "asc" }, { id: "asc" }],
    });
  }

  /** The stored states, by camera. */
  async states(): Promise<Map<string, string | null>> {
    const { workspaceId } = this;
    const states = await this.gateway.prisma.detectionState.findMany({ where: { workspaceId } });
    return new Map(states.map(({ cameraId, state }) => [cameraId, state]));
  }

  auditEntries() {
    return this.gateway.prisma.auditEntry.findMany({
      where: { workspaceId: this.workspaceId, action: "recordDetections" },
    });
  }
}

const newCamera = (gateway: Gateway, workspaceId: string, facilityId: string) =>
  createCamera(gateway.prisma, {
    workspaceId,
    facilityId,
    imageDimensions: { width: 640, height: 480 },
  });
