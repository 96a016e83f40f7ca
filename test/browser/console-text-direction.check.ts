import type { Page } from "playwright-core";
import { createAlertComment, createDelivery } from "../support/factories.js";

import { browseSharedGateway, goWithin } from "./console-page.js";
import { newSite, treeOf } from "./own-console.js";

/**
 * A text that runs from right to left, with an override and an end of an isolate, as
 * older versions stored them.
 */
const stored = (what: string) => `שלום\u202e\u2069 ${what}`;
const shared = browseSharedGateway();
let site: Awaited<ReturnType<typeof newSite>>;
let alertId: string;
beforeAll(async () => {
  const { prisma } = shared;
  // While a facility is offline, the status of its cameras is not shown.
  site = await newSite(shared, {
    facility: { name: stored("facility"), lastHeartbeatAt: new Date() },
    camera: { name: stored("camera"), statusDetail: stored("status") },
    user: { firstName: stored("first"), lastName: stored("last") },
  });
  const { workspaceId, cameraId, userId, place } = site;
  await prisma.workspace.update({ where: { id: workspaceId }, data: { name: stored("workspace") } });
  const area = {
    type: "AREA",
    name: stored("area"),
    points: [0, 40, 80].map((at) => ({ x: at, y: at % 50 })),
  };
  const alertRuleId = await site.addRule({
    name: stored("rule"),
    severity: stored("severity"),
    status: stored("state"),
    emails: [`${stored("mail")}@test.example`],
    group: treeOf(area),
  });
  const report = { statusDetail: stored("report"), source: "DASHBOARD" };
  await prisma.statusChange.create({ data: { workspaceId, cameraId, ...report } });
  const mark = { acknowledgedAt: new Date(), acknowledgedById: userId };
  [alertId = ""] = await site.raise({
    ...{ ...mark, alertRuleId, createdAt: new Date() },
    ...{ name: stored("type"), severity: stored("grave") },
  });
  await createAlertComment(prisma, {
    ...place,
    alertId,
    authorName: stored("author"),
    text: stored("comment"),
  });
  await createDelivery(prisma, { ...place, alertId, channel: "EMAIL", target: stored("target") });
});

/** A piece of text on the page, with its surroundings. */
interface ShownText {
  text: string;
  /** The whole text of the element that isolates it. */
  isolate: string | null;
}

/** The stored texts that the page shows. */
const shownTexts = (page: Page): Promise<ShownText[]> =>
  page.evaluate(() => {
    const attributes = [...document.querySelectorAll("*")].flatMap((element) => [...element.attributes]);
    const labels = attributes
      .filter(({ name }) => ["alt", "aria-label", "title"].includes(name))
      .map(({ value }) => ({ text: value, isolate: null }));
    const texts = [...document.querySelectorAll<HTMLElement>("body :not(option, textarea, script, :empty)")]
      .flatMap((element) => [...element.childNodes])
      .filter(({ nodeType }) => nodeType === Node.TEXT_NODE)
      .map(({ textContent, parentElement }) => ({
        text: textContent ?? "",
        isolate: parentElement?.closest("bdi")?.textContent ?? null,
      }));
    return [...labels, ...texts].filter(({ text }) => text.includes("שלום"));
  });

/**
 * Whether the direction of a text affects the text around it, because neither an element
 * nor characters isolate it.
 */
function isLoose({ text, isolate }: ShownText): boolean {
  if (isolate !== null) return isolate !== text || /[\u202a-\u202e\u2066-\u2069]/.test(text);
  return text.replace(/\u2068[^\u202a-\u202e\u2066-\u2069]*\u2069/g, "").includes("שלום");
}

test("the direction of a stored text does not affect the text beside it", async () => {
  const { page } = await site.open("/?view=fleet");
  const all: ShownText[] = [];
  for (const [address, ...shown] of [
    ["/?view=fleet", ".camera-tile .newest-type"],
    [
      `/?camera=${site.cameraId}`,
      ".camera-rule-list li",
      ".timeline :text('report')",
      ".camera-alerts .alert-tile",
    ],
    [`/?view=alerts&alert=${alertId}`, ".comment-text", ".alert-tile"],
    [`/?view=rules&camera=${site.cameraId}`, ".rule-card"],
    ["/?view=insight&period=7d", ".busiest"],
    ["/", ".today-list a"],
  ] as [string, ...string[]][]) {
    await goWithin(page, address);
    for (const each of shown) await page.locator(each).first().waitFor({ state: "attached" });
    all.push(...(await shownTexts(page)));
  }
  expect(all.filter(isLoose)).toEqual([]);
  const everything = all.map(({ text }) => text).join("\n");
  const parts = [
    "workspace",
    "facility",
    "camera",
    "status",
    "report",
    "first",
    "last",
    "rule",
    "severity",
    "state",
    "mail",
    "area",
  ];
  for (const part of [...parts, "type", "grave", "author", "comment", "target"])
    expect(everything).toContain(part);
});
