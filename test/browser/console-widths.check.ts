import { createAlertComment } from "../support/factories.js";
import {
  browseSharedGateway,
  expectAccessible,
  expectCount,
  goWithin,
  untilPainted,
} from "./console-page.js";
import { newSite } from "./own-console.js";

const shared = browseSharedGateway();

/** Widths at which a layout of the style sheets begins or ends, where it is tightest, and some between. */
const widths = [320, 353, 375, 400, 481, 560, 640, 641, 800, 960, 961, 1025, 1200, 1280, 1400, 1920];
/** Those of usual windows, at which no rule of accessibility may be broken either. */
const usual = [375, 1280, 1920];

/** The addresses of all pages; those that need the id of a record end with its name. */
const pages = [
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
];

// Each page in both languages and at all widths, each language at all widths: half of the
// widths of a page in one language, and the others in the other one.
test.each([
  ["en-GB", 0],
  ["de-DE", 1],
] as const)(
  "in %s, no page is wider than the window, from 320 to 1920 pixels, and none breaks a rule of accessibility",
  async (locale, remainder) => {
    const { facilityId, cameraId, addRule, raise, open } = await newSite(shared);
    const name = "VEHICLE_IN_PEDESTRIAN_AREA";
    await addRule({ name });
    const [id] = await raise({ name, falsePositive: true }, { name });
    const { page } = await open(undefined, { locale });
    const tooWide: string[] = [];
    for (const [number, path] of pages.entries()) {
      const address = path
        .replace(/camera$/, `camera=${cameraId}`)
        .replace(/alert$/, `alert=${id}`)
        .replace(/facility$/, `facility=${facilityId}`);
      await goWithin(page, address);
      await page.locator("main").getByRole("heading").first().waitFor();
      await expectCount(page.locator("[aria-busy=true], .placeholder"), 0);
      for (const width of widths.filter((_, index) => (index + number) % 2 === remainder)) {
        await page.setViewportSize({ width, height: 900 });
        // What chooses its layout by its width does so after the first frame.
        await untilPainted(page);
        if ((await page.evaluate(() => document.documentElement.scrollWidth)) > width)
          tooWide.push(`${path} at ${width}`);
        if (usual.includes(width)) await expectAccessible(page);
      }
    }
    expect(tooWide).toEqual([]);
  },
);

test("the picture of an alert stays in sight beside its comments", async () => {
  const { workspaceId, facilityId, cameraId, raise, open } = await newSite(shared);
  const [alertId = ""] = await raise({});
  for (let count = 0; count < 12; count += 1)
    await createAlertComment(shared.prisma, { workspaceId, facilityId, cameraId, alertId });
  const { page } = await open(`/?view=alerts&alert=${alertId}`);
  await expectCount(page.locator(".comment-text"), 12);
  const top = () => page.locator(".alert-stage").evaluate((stage) => stage.getBoundingClientRect().top);
  const before = await top();
  await page.locator(".comment-text").last().scrollIntoViewIfNeeded();
  expect(await page.locator(".alert-details").evaluate(({ scrollTop }) => scrollTop)).toBeGreaterThan(0);
  expect(await top()).toBeCloseTo(before, 0);
});
