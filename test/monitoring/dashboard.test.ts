// Runs once: the metrics are the same with both kinds of databases.

import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { parse } from "yaml";
import { respondWith, WebhookReceiver } from "../delivery/webhook-receiver.js";
import { Recorder } from "../ingestion/recorder.js";
import { eventually } from "../support/eventually.js";
import { createAlertRule } from "../support/factories.js";
import { startGateway } from "../support/harness.js";
import { idleFeed } from "../support/idle-feed.js";
import { listOf } from "../support/list-of.js";
import { directoryForTest } from "../support/temporary-directory.js";
import { type Sample, samplesIn } from "./exposition.js";
import { promtool } from "./promtool.js";

const rulesFile = "deployment/prometheus/alerts.yml";

interface Panel {
  title: string;
  targets?: { expr: string; legendFormat: string }[];
}
interface Dashboard {
  panels: Panel[];
  templating: { list: { name: string; query: unknown }[] };
}
interface Rules {
  groups: { rules: { alert: string; expr: string; annotations: Record<string, string> }[] }[];
}

const dashboard = JSON.parse(readFileSync("deployment/grafana/dashboard.json", "utf8")) as Dashboard;
const rules = (parse(readFileSync(rulesFile, "utf8")) as Rules).groups.flatMap((group) => group.rules);

/** Labels that Prometheus itself adds. */
const ofPrometheus = ["job", "instance"];

/**
 * The labels in an expression, by metric: those in its selector, and those that group the
 * results.
 */
function usedIn(expression: string): Map<string, Set<string>> {
  const used = new Map<string, Set<string>>();
  const grouping = Array.from(expression.matchAll(/\bby \(([^)]*)\)/g), ([, names = ""]) =>
    names.split(",").map((name) => name.trim()),
  ).flat();
  for (const [, metric = "", selector = ""] of expression.matchAll(
    /\b((?:gateway|nodejs|process)_\w+)(?:\{([^}]*)\})?/g,
  )) {
    const labels = used.get(metric) ?? new Set(grouping);
    for (const [, name] of selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)) labels.add(name as string);
    used.set(metric, labels);
  }
  return used;
}

const panelsWithTargets = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => [title, expr] as const),
);
const expressions = [...panelsWithTargets, ...rules.map(({ alert, expr }) => [alert, expr] as const)];

let text: string;
let samples: Sample[];
beforeAll(async () => {
  const receiver = await WebhookReceiver.start();
  // It has the metrics of the feed, and opens no stream.
  const feed = await idleFeed();
  const gateway = await startGateway({
    environment: { WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8", ...feed.environment },
  });
  try {
    // Each metric with labels appears once something has happened.
    const recorder = await Recorder.open(gateway);
    const { workspaceId, site, admin } = recorder;
    receiver.on("/busy", respondWith(503));
    for (const path of ["/", "/busy"]) {
      const notificationUrl = receiver.url(path);
      const alertRuleId = await createAlertRule(gateway.prisma, {
        workspaceId,
        cameraId: site.cameraId,
        notificationUrl,
        notificationEnabled: true,
      });
      await recorder.record([recorder.alert({ alertRuleId, createdAt: new Date().toISOString() })]);
    }
    await eventually(
      () =>
        gateway.prisma.delivery.groupBy({
          by: ["state", "attempts"],
          where: { workspaceId, attempts: 1 },
          orderBy: { state: "asc" },
        }),
      (states) => states.length === 2,
    );
    await gateway.prisma.delivery.updateMany({
      where: { workspaceId, state: "SENT" },
      data: { state: "PARKED" },
    });
    await gateway.graphql("{ nothing }", { as: admin.as });
    await gateway.graphql(`{ ${listOf(31, (index) => `a${index}: me { id }`).join(" ")} }`, { as: admin.as });
    text = await eventually(
      async () => (await gateway.fetch("/metrics")).text(),
      (metrics) =>
        metrics.includes('gateway_errors_total{code="BAD_REQUEST"}') &&
        metrics.includes("gateway_deliveries_pending{"),
    );
    samples = samplesIn(text);
  } finally {
    await gateway.close();
    await receiver.close();
    await feed.remove();
  }
});

describe("every metric and label exists that is used", () => {
  it.each(expressions)("in %s: %s", (_title, expression) => {
    const used = usedIn(expression);
    if (!/^up\b/.test(expression)) expect(used.size).toBeGreaterThan(0);
    for (const [metric, labels] of used) {
      const found = samples.filter(({ name }) => name === metric);
      const known = new Set([...ofPrometheus, ...found.flatMap((sample) => Object.keys(sample.labels))]);
      expect({
        metric,
        exists: found.length > 0,
        unknown: [...labels].filter((name) => !known.has(name)),
      }).toEqual({
        metric,
        exists: true,
        unknown: [],
      });
    }
  });

  it("in the legends of the dashboard", () => {
    for (const { title, targets = [] } of dashboard.panels)
      for (const { expr, legendFormat } of targets) {
        const kept = expr.includes("by (")
          ? [...usedIn(expr).values()].flatMap((labels) => [...labels])
          : ofPrometheus;
        for (const [, name] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
          expect({ title, kept }).toMatchObject({ kept: expect.arrayContaining([name]) });
      }
  });
});

it("the dashboard shows every metric of the gateway", () => {
  const shown = panelsWithTargets.map(([, expression]) => expression).join("\n");
  const names = [...text.matchAll(/^# TYPE (gateway_\w+) /gm)].map(([, name]) => name as string);
  // Other metrics already show these facts: errors, operations and events.
  const left = [
    "gateway_sockets_closed_total",
    "gateway_events_published_total",
    "gateway_events_received_total",
  ];
  expect(names.filter((name) => !shown.includes(name))).toEqual(expect.arrayContaining(left));
  expect(names.filter((name) => !shown.includes(name) && !left.includes(name))).toEqual([]);
});

const checked = promtool(["check", "rules", rulesFile]);

describe.skipIf(checked === undefined)("promtool", () => {
  it("accepts the rules", () => {
    expect(checked).toMatch(/SUCCESS: \d+ rules found/);
  });

  it("finds nothing wrong with the metrics of the gateway", () => {
    const issues = (promtool(["check", "metrics"], text) as string)
      .split("\n")
      .filter((line) => line.startsWith("gateway_"));
    expect(issues).toEqual([]);
  });

  it("accepts the expressions of the dashboard as rules", async () => {
    const plain = (expression: string) => expression.replaceAll("$__rate_interval", "5m");
    const group = {
      name: "dashboard",
      rules: panelsWithTargets.map(([, expr], index) => ({ record: `panel:${index}`, expr: plain(expr) })),
    };
    const file = path.join(await directoryForTest(), "rules.json");
    await writeFile(file, JSON.stringify({ groups: [group] }));
    expect(promtool(["check", "rules", file])).toMatch(/SUCCESS/);
  });
});
