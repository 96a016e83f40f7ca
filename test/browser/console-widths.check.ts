import { describe, expect, test } from "vitest";
import { createAlertRule, createAlerts } from "../support/factories.js";
import { browseSharedGateway, untilPainted } from "./console-page.js";
import { equippedWorkspace, openOwnConsole } from "./own-console.js";

const shared = browseSharedGateway();

const widths = Array.from({ length: 46 }, (_, index) => 320 + index * 24);

describe.each(["en-GB", "de-DE"])("in %s", (locale) => {
  test.each([
    "/?view=today",
    "/?view=fleet",
    "/?view=fleet&facility",
    "/?view=alerts",
    "/?view=alerts&layout=list",
    "/?view=alerts&alert",
    "/?view=insight",
    "/?view=rules",
    "/?view=rules&camera",
    "/?view=camera&camera",
    "/?view=settings&part=facilities",
    "/?view=settings&part=facilities&import=cameras",
    "/?view=settings&part=people",
    "/?view=settings&part=keys",
    "/?view=settings&part=connectors",
    "/?view=settings&part=notifications",
    "/?view=settings&part=audit",
    "/?view=settings&part=workspace",
    "/?view=settings&part=profile",
  ])("%s is never wider than the window, from 320 to 1400 pixels", async (path) => {
    const { workspaceId, facilityId, cameraId } = await equippedWorkspace(shared.gateway);
    const { prisma } = shared.gateway;
    await createAlertRule(prisma, { cameraId, name: "VEHICLE_IN_PEDESTRIAN_AREA" });
    const name = "VEHICLE_IN_PEDESTRIAN_AREA";
    const [id] = await createAlerts(prisma, [
      { workspaceId, facilityId, cameraId, name, falsePositive: true },
      { workspaceId, facilityId, cameraId, name },
    ]);
    const address = path
      .replace(/camera$/, `camera=${cameraId}`)
      .replace(/alert$/, `alert=${id}`)
      .replace(/facility$/, `facility=${facilityId}`);
    const { page } = await openOwnConsole(shared, { workspaceId, address, locale });
    await page.locator("main").getByRole("heading").first().waitFor();
    await page.waitForLoadState("networkidle");
    const tooWide: number[] = [];
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      // What chooses its layout by its width does so after the first frame.
      await untilPainted(page);
      if ((await page.evaluate(() => document.documentElement.scrollWidth)) > width) tooWide.push(width);
    }
    expect(tooWide).toEqual([]);
  });
});
