import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { signToken } from "../../src/access/jwt.js";
import { launchBrowser } from "../browser/monitored-page.js";
import { testSecrets } from "../support/environment.js";
import type { BenchRun } from "./bench-case.js";
import { type MeasuredProcess, median } from "./measured-process.js";
import type { Figure } from "./report.js";
import { fetchJson, graphql } from "./requests.js";
import { startBuild } from "./start-build.js";
import { longestTasks } from "./task-times.js";

/** Milliseconds since the start of the navigation, and transferred bytes of scripts. */
interface FirstView {
  firstPaint: number;
  interactive: number;
  scriptBytes: number;
}

interface LongTask {
  start: number;
  duration: number;
}

/** The notes of {@link observe} in the page. */
interface Observed {
  longTasks: LongTask[];
  firstNumbers?: number;
}

type ReviewedWindow = typeof globalThis & { nextPicture: Promise<number> };
type ObservedWindow = typeof globalThis & { observed: Observed };

/**
 * The distance of a scrolling step, in pixels, and the number of steps: about one turn of
 * a wheel per frame.
 */
const scrollStep = 400;
const scrollSteps = 600;
/** The time for which somebody who reviews alerts looks at a picture, at the least. */
const readingMs = 250;

/**
 * The console: the initial wait of a reader, and stuttering while scrolling through all
 * alerts of the data set, or with many time zones.
 */
export async function benchConsole(run: BenchRun): Promise<Figure[]> {
  const browser = await launchBrowser();
  try {
    return [
      ...(await measureFirstView(browser, run.repetitions)),
      ...(await measureScrolling(browser, run)),
      ...(await measureAlerts(browser)),
      ...(await measureTimeZones(browser)),
    ];
  } finally {
    await browser.close();
  }
}

/** Opens the console of a new demo like a browser with an empty cache. */
function measureFirstView(browser: Browser, repetitions: number): Promise<Figure[]> {
  return onNewDemo({}, async (gateway) => {
    const views: FirstView[] = [];
    for (let repetition = 0; repetition <= repetitions; repetition += 1) {
      const page = await (await browser.newContext({ viewport: { width: 1400, height: 1000 } })).newPage();
      await page.addInitScript(observe);
      // A loopback host name, for which the gateway gives the page a token.
      await page.goto(gateway.url.replace("127.0.0.1", "localhost"));
      await page.waitForFunction(() => (globalThis as ObservedWindow).observed.firstNumbers !== undefined);
      views.push(await page.evaluate(firstViewOf));
      await page.context().close();
    }
    // The gateway compiles its operations while it answers the first time.
    const measured = views.slice(1);
    const medianOf = (name: keyof FirstView) => Math.round(median(measured.map((view) => view[name])));
    return [
      {
        name: "Script of the first view, compressed",
        value: Math.round(medianOf("scriptBytes") / 1024),
        unit: "KiB",
        atMost: 120,
      },
      { name: "First paint", value: medianOf("firstPaint"), unit: "ms" },
      { name: "First view ready for input", value: medianOf("interactive"), unit: "ms" },
    ];
  });
}

/** Measures something on a gateway with a new demo. */
async function onNewDemo(
  settings: Record<string, string>,
  measure: (gateway: MeasuredProcess) => Promise<Figure[]>,
): Promise<Figure[]> {
  const directory = mkdtempSync(path.join(tmpdir(), "gateway-bench-demo-"));
  const gateway = await startBuild(".", {
    ...testSecrets,
    CAMERA_FEED: "off",
    DATA_DIR: directory,
    PORT: "0",
    DEMO_LIVE: "off",
    LOG_LEVEL: "warn",
    ...settings,
  });
  try {
    return await measure(gateway);
  } finally {
    await gateway.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * Insight and the fleet of a workspace with sites in a hundred time zones and alerts of
 * ten years.
 */
function measureTimeZones(browser: Browser): Promise<Figure[]> {
  return onNewDemo({ RATE_LIMIT: "off" }, async (gateway) => {
    await addSites(gateway.url);
    const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
    await page.goto(gateway.url.replace("127.0.0.1", "localhost"));
    const insight = [
      page.getByRole("figure", { name: "Alerts over time" }),
      page.getByRole("table").filter({ hasText: "Mon" }).first(),
      page.getByRole("heading", { name: "Busiest cameras" }),
    ];
    const fleet = [
      page.getByRole("region", { name: "Facilities" }).getByRole("listitem").nth(99),
      page.getByRole("article").first(),
    ];
    const visit = async (address: string, shown: Locator[]) => {
      await page.evaluate((to) => {
        history.pushState(null, "", to);
        dispatchEvent(new PopStateEvent("popstate"));
      }, address);
      for (const part of shown) await part.waitFor();
    };
    await visit("/?view=fleet", fleet);
    const decade = `from=${new Date(Date.now() - 3652 * 86_400_000).toISOString()}&to=${new Date().toISOString()}`;
    const longest = { insight: 0, fleet: 0 };
    for (const parameters of [
      "period=7d",
      decade,
      `${decade}&per=week`,
      `${decade}&per=day`,
      `${decade}&per=week&by=type`,
      "from=2000-01-01T00:00:00.000Z",
      "from=2024-12-01T00:00:00.000Z&per=day",
    ]) {
      // Alternate between the views, because a view that is already shown could be taken
      // for the next one.
      for (const [view, address, shown] of [
        ["insight", `/?view=insight&${parameters}`, insight],
        ["fleet", "/?view=fleet", fleet],
      ] as const) {
        const [task = 0] = await longestTasks(browser, page, () => visit(address, [...shown]));
        longest[view] = Math.max(longest[view], Math.round(task));
      }
    }
    return [
      {
        name: "A hundred time zones: longest task of Insight, processor time",
        value: longest.insight,
        unit: "ms",
        atMost: 100,
      },
      {
        name: "A hundred time zones: longest task of the fleet, processor time",
        value: longest.fleet,
        unit: "ms",
        atMost: 100,
      },
    ];
  });
}

/** Adds a hundred sites with a camera and a hundred alerts each to a demo. */
async function addSites(url: string): Promise<void> {
  const authorization = `Bearer ${await signToken(testSecrets.AUTH_JWT_SECRET, "demo|admin", 3600, new Date())}`;
  const run = async <Data>(query: string, variables: object) => {
    const answer = (await fetchJson(url, graphql(query, variables), { authorization })) as {
      data: Data;
      errors?: unknown;
    };
    if (answer.errors) throw new Error(JSON.stringify(answer.errors));
    return answer.data;
  };
  const addFacility = "mutation Add($input: CreateFacilityInput!) { createFacility(input: $input) { id } }";
  const addCamera = `mutation Add($facilityId: UUID!, $input: CreateCameraInput!) {
    createCamera(facilityId: $facilityId, input: $input) { camera { id } }
  }`;
  const addRule =
    "mutation Add($cameraId: UUID!, $input: CreateAlertRuleInput!) { createAlertRule(cameraId: $cameraId, input: $input) { id } }";
  const zones = Intl.supportedValuesOf("timeZone").filter((_, index) => index % 4 === 0);
  for (const [site, timeZoneId] of zones.slice(0, 100).entries()) {
    const { createFacility: facility } = await run<{ createFacility: { id: string } }>(addFacility, {
      input: { name: timeZoneId, timeZoneId },
    });
    const camera = { name: `Camera of ${timeZoneId}`, url: `rtsp://192.0.2.1/${site}`, streamType: "DIRECT" };
    const { createCamera: added } = await run<{ createCamera: { camera: { id: string } } }>(addCamera, {
      facilityId: facility.id,
      input: camera,
    });
    const rule = {
      name: "Rule",
      severity: ["LOW", "MEDIUM", "HIGH", "CRITICAL"][site % 4],
      group: { type: "GROUP", operator: "AND", children: [{ type: "PERSON", objects: ["person"] }] },
    };
    const { createAlertRule } = await run<{ createAlertRule: { id: string } }>(addRule, {
      cameraId: added.camera.id,
      input: rule,
    });
    const alerts = Array.from({ length: 100 }, (_, index) => ({
      id: randomUUID(),
      cameraId: added.camera.id,
      alertRuleId: createAlertRule.id,
      name: `TYPE_${index % 12}`,
      // All over the last ten years.
      createdAt: new Date(Date.now() - ((index * 37 * 24 + site) % 87_600) * 3_600_000).toISOString(),
    }));
    await run("mutation Record($input: [RecordAlertInput!]!) { recordAlerts(input: $input) { recorded } }", {
      input: alerts,
    });
  }
}

async function measureScrolling(browser: Browser, { gateway, authorization }: BenchRun): Promise<Figure[]> {
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
  await page.goto(`${gateway.url}/?view=alerts`);
  await page.getByLabel("Token or API key").fill(authorization.replace("Bearer ", ""));
  await page.getByRole("button", { name: "Continue" }).click();
  const tile = page.getByRole("list", { name: "Alerts" }).getByRole("article").first();
  await tile.waitFor();
  await page.evaluate(observe);
  const { duration, mostElements } = await scroll(page);
  const { longTasks } = await page.evaluate(() => (globalThis as ObservedWindow).observed);
  const total = longTasks.reduce((sum, task) => sum + task.duration, 0);
  return [
    { name: "Scrolling: most alert elements in the document", value: mostElements, unit: "", atMost: 300 },
    { name: "Scrolling: tasks of more than 50 ms", value: longTasks.length, unit: `in ${scrollSteps} steps` },
    {
      name: "Scrolling: longest task",
      value: Math.round(Math.max(0, ...longTasks.map((task) => task.duration))),
      unit: "ms",
    },
    {
      name: "Scrolling: share of the time in tasks of more than 50 ms",
      value: Number((total / duration).toFixed(3)),
      unit: "",
      atMost: 0.1,
    },
  ];
}

/** The alerts of the demo: reviewing them by key, and scrolling through 5,000 of them. */
function measureAlerts(browser: Browser): Promise<Figure[]> {
  return onNewDemo({ RATE_LIMIT: "off" }, async (gateway) => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
    const url = gateway.url.replace("127.0.0.1", "localhost");
    await page.goto(`${url}/?view=alerts&period=30d`);
    await page.getByRole("list", { name: "Alerts" }).getByRole("article").first().waitFor();
    const [longestTask = 0] = await longestTasks(browser, page, () => scrollThrough(page, 5000));
    await page.goto(`${url}/?view=alerts&open=true&review=on&period=30d`);
    await page.locator(".alert-stage img").waitFor();
    const waits: number[] = [];
    for (let step = 0; step < 60; step += 1) {
      waits.push(await nextPicture(page));
      await page.waitForTimeout(readingMs);
    }
    waits.sort((one, other) => one - other);
    return [
      {
        name: "Scrolling through 5,000 alerts: longest task, processor time",
        value: Math.round(longestTask),
        unit: "ms",
        atMost: 50,
      },
      { name: "Review: from key to next picture, median", value: Math.round(median(waits)), unit: "ms" },
      {
        name: "Review: from key to next picture, 95 %",
        value: Math.round(waits[Math.floor(waits.length * 0.95)] as number),
        unit: "ms",
        atMost: 100,
      },
    ];
  });
}

/**
 * Scrolls down until so many alerts have been passed. Like all that runs in the page, it
 * may not name functions.
 */
const scrollThrough = (page: Page, alerts: number): Promise<void> =>
  page.evaluate(
    async ([step, alerts]) => {
      for (let passed = 0; passed < alerts; ) {
        if (scrollY >= document.documentElement.scrollHeight - innerHeight && passed > 0)
          throw new Error(`Passed ${passed} alerts only`);
        scrollBy(0, step);
        await new Promise((resolve) => requestAnimationFrame(resolve));
        for (const item of document.querySelectorAll("[aria-posinset]"))
          passed = Math.max(passed, Number(item.ariaPosInSet));
      }
    },
    [scrollStep, alerts] as const,
  );

/** Acknowledges an alert by Space, and returns after how long the next picture was painted. */
async function nextPicture(page: Page): Promise<number> {
  await page.evaluate(() => {
    const before = location.search;
    (globalThis as ReviewedWindow).nextPicture = new Promise<number>((resolve) =>
      addEventListener("keydown", ({ timeStamp }) => resolve(timeStamp), { once: true, capture: true }),
    ).then(async (pressed) => {
      for (let shown = false; !shown; ) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
        const picture = document.querySelector<HTMLImageElement>(".alert-stage img");
        shown = location.search !== before && picture?.complete === true && picture.naturalWidth > 0;
      }
      // The frame that shows the picture ends before the next one begins.
      await new Promise((resolve) => requestAnimationFrame(resolve));
      return performance.now() - pressed;
    });
  });
  await page.keyboard.press("Space");
  return page.evaluate(() => (globalThis as ReviewedWindow).nextPicture);
}

/** Scrolls down by steps, one in each frame, and then to places all over the list. */
const scroll = (page: Page): Promise<{ duration: number; mostElements: number }> =>
  page.evaluate(
    async ([step, steps]) => {
      const started = performance.now();
      let mostElements = 0;
      for (let done = 0; done < steps; done += 1) {
        const height = document.documentElement.scrollHeight - innerHeight;
        if (done % 10 === 9) window.scrollTo(0, height * ((done * 0.618) % 1));
        else window.scrollBy(0, step);
        await new Promise((resolve) => requestAnimationFrame(resolve));
        mostElements = Math.max(mostElements, document.querySelectorAll("[aria-posinset]").length);
      }
      return { duration: performance.now() - started, mostElements };
    },
    [scrollStep, scrollSteps] as const,
  );

/**
 * Runs in the page, where functions may not have names: notes long tasks, and when
 * the numbers of the first view are there.
 */
function observe(): void {
  const observed: Observed = { longTasks: [] };
  (globalThis as ObservedWindow).observed = observed;
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries())
      observed.longTasks.push({ start: startTime, duration });
  }).observe({ type: "longtask" });
  new MutationObserver((_records, observer) => {
    if (!document.querySelector("main .today-figure")) return;
    observed.firstNumbers = performance.now();
    observer.disconnect();
  }).observe(document, { childList: true, subtree: true });
}

/**
 * Runs in the page. The page is ready for input once its numbers are there and the work
 * for them has ended.
 */
function firstViewOf(): FirstView {
  const { observed } = globalThis as ObservedWindow;
  const firstNumbers = observed.firstNumbers as number;
  const ends = observed.longTasks
    .filter(({ start }) => start <= firstNumbers)
    .map(({ start, duration }) => start + duration);
  const scripts = (performance.getEntriesByType("resource") as PerformanceResourceTiming[]).filter(
    ({ name }) => new URL(name).pathname.endsWith(".js"),
  );
  return {
    firstPaint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime as number,
    interactive: Math.max(firstNumbers, ...ends),
    scriptBytes: scripts.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
  };
}
