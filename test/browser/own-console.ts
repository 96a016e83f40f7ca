import { randomUUID } from "node:crypto";
import type { Browser, Page } from "playwright-core";
import { type Permission, permissions } from "../../src/access/permissions.js";
import { createCamera, createFacility, createUser, createWorkspace } from "../support/factories.js";
import type { Gateway } from "../support/harness.js";
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
  { gateway, browser }: { gateway: Gateway; browser: Browser },
  {
    roles = permissions,
    workspaceId,
    address = "/?view=settings",
    locale = "en-GB",
    origin = gateway.url,
  }: OwnConsoleOptions = {},
): Promise<OwnConsole> {
  const ownId = workspaceId ?? (await createWorkspace(gateway.prisma, {}));
  const authId = `test|${randomUUID()}`;
  const userId = await createUser(gateway.prisma, { workspaceId: ownId, authId, roles: [...roles] });
  const token = await tokenOf(authId);
  const { page, problems } = await openSignedOutPage(browser, origin, address, { locale });
  if (locale.startsWith("de")) {
    await page.getByLabel("Token oder API-Schlüssel").fill(token);
    await page.getByRole("button", { name: "Weiter" }).click();
  } else await signIn(page, token);
  // Before, a page that is loaded anew or left forgets the token.
  await page.getByLabel(/^Token (?:or|oder) API/).waitFor({ state: "detached" });
  return { page, problems, workspaceId: ownId, userId, token };
}

/** A workspace with a facility and its camera. */
export async function equippedWorkspace({ prisma }: Gateway) {
  const workspaceId = await createWorkspace(prisma, {});
  const facilityId = await createFacility(prisma, { workspaceId, name: "Plant" });
  const cameraId = await createCamera(prisma, {
    workspaceId,
    facilityId,
    name: "Gate",
    url: "rtsp://192.0.2.9/live",
    streamType: "DIRECT",
  });
  return { workspaceId, facilityId, cameraId };
}
