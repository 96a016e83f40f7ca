import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "../browser/monitored-page.js";
import { testSecrets } from "../support/environment.js";
import type { BenchRun } from "./bench-case.js";
import { type MeasuredProcess, median, percentile } from "./measured-process.js";
import { type Figure, figure } from "./report.js";
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

/** The distance of a scrolling step, in pixels: about one turn of a wheel per frame. */
const scrollStep = 400;
/** The time for which somebody who reviews alerts looks at a picture, at the least. */
const readingMs = 250;

/**
 * The console of a demo: the initial wait of a reader, and stuttering while scrolling and
 * reviewing.
 */
export async function benchConsole(run: BenchRun): Promise<Figure[]> {
  const browser = await launchBrowser();
  try {
    return [...(await measureFirstView(browser, run.repetitions)), ...(await measureAlerts(browser))];
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
      figure("Script of the first view, compressed", Math.round(medianOf("scriptBytes") / 1024), "KiB", {
        atMost: 120,
      }),
      figure("First paint", medianOf("firstPaint"), "ms"),
      figure("First view ready for input", medianOf("interactive"), "ms"),
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
    return [
      figure("Scrolling through 5,000 alerts: longest task, processor time", Math.round(longestTask), "ms", {
        atMost: 50,
      }),
      figure("Review: from key to next picture, median", Math.round(median(waits)), "ms"),
      figure("Review: from key to next picture, 95 %", Math.round(percentile(waits, 0.95)), "ms", {
        atMost: 100,
      }),
    ];
  });
}

/**
 * Scrolls down until this number of alerts has been passed. Like all that runs in the page, it
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
