import { randomUUID } from "node:crypto";
import { type Permission, permissions } from "../../src/engine/access/permissions.js";
import {
  createAlertRule,
  createAlerts,
  createCamera,
  createFacility,
  createUser,
  createWorkspace,
} from "../support/factories.js";
import type { Gateway, Sender } from "../support/harness.js";
import { openSignedIn } from "./console-page.js";

/** A condition of a rule. */
export const person = { type: "STATIC_DELIMITATION_AREA", objects: ["PERSON"] };

/** The conditions of a rule. */
export const treeOf = (...children: object[]) => ({
  id: randomUUID(),
  type: "GROUP",
  operator: "AND",
  children: children.map((child) => ({ id: randomUUID(), ...child })),
});

/** Workspaces of sites have been set up long ago: nobody is led through first steps. */
const setUp = { createdAt: new Date("2026-01-01") };

/** The values of a user; one with all permissions by default. */
export type User = Partial<Omit<Parameters<typeof createUser>[1], "roles">> & {
  roles?: readonly Permission[];
};
type Rule = Partial<Parameters<typeof createAlertRule>[1]>;
type Alert = Partial<Parameters<typeof createAlerts>[1][number]>;

/**
 * A user, by default one with all permissions in a workspace of their own, and how to open
 * the console for them.
 */
export async function newUser(
  { gateway }: { gateway: Gateway },
  { roles = permissions, workspaceId, ...values }: User = {},
) {
  const { prisma } = gateway;
  const ownId = workspaceId ?? (await createWorkspace(prisma, setUp));
  const authId = `test|${randomUUID()}`;
  const userId = await createUser(prisma, { ...values, workspaceId: ownId, authId, roles: [...roles] });
  return {
    workspaceId: ownId,
    userId,
    as: { user: authId },
    open: (address = "/?view=settings", options?: Parameters<typeof openSignedIn>[3]) =>
      openSignedIn({ gateway }, authId, address, options),
  };
}

export interface SiteOptions {
  facility?: object;
  camera?: object;
  user?: User;
}

/** A workspace with a facility, its camera and a user. */
export async function newSite(
  { gateway }: { gateway: Gateway },
  { facility, camera, user }: SiteOptions = {},
) {
  const { prisma } = gateway;
  const workspaceId = await createWorkspace(prisma, setUp);
  const facilityId = await createFacility(prisma, { workspaceId, name: "Plant", ...facility });
  const stream = { url: "rtsp://192.0.2.9/live", streamType: "DIRECT" };
  const addCamera = (values: object) =>
    createCamera(prisma, { workspaceId, facilityId, ...stream, ...values });
  const place = { workspaceId, facilityId, cameraId: await addCamera({ name: "Gate", ...camera }) };
  const viewer = await newUser({ gateway }, { workspaceId, ...user });
  return {
    ...place,
    ...viewer,
    place,
    addCamera,
    /** Adds a rule of the camera. */
    addRule: (values: Rule = {}) =>
      createAlertRule(prisma, { workspaceId, cameraId: place.cameraId, ...values }),
    /** Creates alerts of the camera, newest first. */
    raise: (...alerts: Alert[]) =>
      createAlerts(
        prisma,
        alerts.map((values) => ({ ...place, ...values })),
      ),
    /** Records alerts of the camera by their names, as the user. */
    record: (...names: string[]) =>
      recordAlerts(
        gateway,
        viewer.as,
        names.map((name) => ({ cameraId: place.cameraId, name })),
      ),
  };
}

/** Records alerts of now, as detectors do. */
export const recordAlerts = (
  gateway: Gateway,
  as: Sender,
  alerts: readonly { cameraId: string; name: string; id?: string; alertRuleId?: string; createdAt?: Date }[],
): Promise<unknown> =>
  gateway.data("mutation ($input: [RecordAlertInput!]!) { recordAlerts(input: $input) { recorded } }", {
    as,
    variables: { input: alerts.map((each) => ({ id: randomUUID(), createdAt: new Date(), ...each })) },
  });

/** Reports the status of a camera. */
export const reportStatus = (
  gateway: Gateway,
  as: Sender,
  id: string,
  statusDetail: string,
  source = "DASHBOARD",
): Promise<unknown> =>
  gateway.data(
    `mutation ($id: UUID!, $input: StatusDetailInput!) { setCameraStatusDetail(id: $id, input: $input) { id } }`,
    { as, variables: { id, input: { source, statusDetail } } },
  );

export const recordHeartbeat = (gateway: Gateway, as: Sender, id: string): Promise<unknown> =>
  gateway.data("mutation ($id: UUID!) { recordHeartbeat(facilityId: $id) { id } }", {
    as,
    variables: { id },
  });
