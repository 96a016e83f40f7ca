import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { type Permission, permissions } from "../../src/access/permissions.js";
import { createCamera, createFacility, createUser, createWorkspace } from "../support/factories.js";
import type { Gateway, Sender } from "../support/harness.js";
import { openSignedOutPage, signIn, tokenOf } from "./console-page.js";
import type { PageProblems } from "./monitored-page.js";

/** A console that is open for a user of a workspace of their own. */
export interface OwnConsole {
  page: Page;
  problems: PageProblems;
  workspaceId: string;
  userId: string;
  token: string;
}

interface OwnConsoleOptions {
  roles?: readonly Permission[];
  /** A new workspace by default. */
  workspaceId?: string;
  address?: string;
  locale?: string;
  /** The origin at which the page is opened; the gateway's own by default. */
  origin?: string;
}

/** Opens the console for a new user, by default one with all permissions. */
export async function openOwnConsole(
  { gateway }: { gateway: Gateway },
  {
    roles = permissions,
    workspaceId,
    address = "/?view=settings",
    locale = "en-GB",
    origin = gateway.url,
  }: OwnConsoleOptions = {},
): Promise<OwnConsole> {
  const ownId = workspaceId ?? (await createWorkspace(gateway.prisma));
  const authId = `test|${randomUUID()}`;
  const userId = await createUser(gateway.prisma, { workspaceId: ownId, authId, roles: [...roles] });
  const token = await tokenOf(authId);
  const { page, problems } = await openSignedOutPage(origin, address, { locale });
  await signIn(page, token);
  // Before, a page that is loaded anew or left forgets the token.
  await page.getByLabel(/^Token (?:or|oder) API/).waitFor({ state: "detached" });
  return { page, problems, workspaceId: ownId, userId, token };
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

/** A workspace with a facility and its camera. */
export async function equippedWorkspace({ prisma }: Gateway, facility: object = {}) {
  const workspaceId = await createWorkspace(prisma);
  const facilityId = await createFacility(prisma, { workspaceId, name: "Plant", ...facility });
  const cameraId = await createCamera(prisma, {
    workspaceId,
    facilityId,
    name: "Gate",
    url: "rtsp://192.0.2.9/live",
    streamType: "DIRECT",
  });
  return { workspaceId, facilityId, cameraId };
}
