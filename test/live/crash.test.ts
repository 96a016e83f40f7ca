// Takes long: it kills processes.

import { randomUUID } from "node:crypto";
import { inject } from "vitest";
import { type AlertInput, Recorder, recordAlerts } from "../ingestion/recorder.js";
import { authorizationOf } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { addressOf, gatewaySettings, startCommand } from "../support/running-command.js";
import { TestSite } from "../support/test-site.js";
import { subscriber } from "./live-socket.js";

const { server } = inject("resources");
const redisUrl = process.env.TEST_REDIS_URL;
const transports: { transport: string; environment: Record<string, string> }[] = [
  { transport: "postgresql", environment: {} },
];
if (redisUrl) transports.push({ transport: "redis", environment: { REDIS_URL: redisUrl } });

describe.runIf(server)("two gateways on one database", () => {
  it.each(transports)(
    "a gateway that is killed while recording loses no acknowledged alert, and subscribers of another miss none, by $transport",
    async ({ transport, environment }) => {
      const testSite = await TestSite.open();
      const survivor = await testSite.start({ environment });
      onTestFinished(async () => {
        await survivor.close();
        await testSite.remove();
      });
      const recorder = await Recorder.open(survivor);
      const killed = startCommand("main", {
        environment: { ...gatewaySettings(testSite.variables), ...environment },
      });
      const address = await addressOf(killed);
      const live = await subscriber(survivor, recorder.admin.as, "subscription { alertRaised { id } }");
      const headers = {
        "content-type": "application/json",
        authorization: (await authorizationOf(recorder.admin.as)) as string,
      };
      const acknowledged: AlertInput[] = [];
      const unacknowledged: AlertInput[] = [];
      const detector = async () => {
        while (unacknowledged.length < 80) {
          const input = listOf(20, () => recorder.alert({ id: randomUUID() }));
          const body = JSON.stringify({ query: recordAlerts, variables: { input } });
          const response = await fetch(`${address}/graphql`, { method: "POST", headers, body }).then(
            (response) => response.json() as Promise<{ data: { recordAlerts: { recorded: number } } }>,
            () => undefined,
          );
          if (!response) return void unacknowledged.push(...input);
          expect(response.data.recordAlerts.recorded).toBe(20);
          acknowledged.push(...input);
        }
      };
      const detectors = Promise.all(Array.from({ length: 4 }, detector));
      await expect.poll(() => acknowledged.length, { interval: 1 }).toBeGreaterThan(400);
      await killed.kill();
      await detectors;
      expect(unacknowledged).toHaveLength(80);
      const committed = await survivor.prisma.alert.findMany({
        where: { workspaceId: recorder.workspaceId },
        select: { id: true },
      });
      const idsOf = (alerts: { id: string }[]) => alerts.map(({ id }) => id).sort();
      expect(idsOf(committed)).toEqual(expect.arrayContaining(idsOf(acknowledged)));
      const seen = () => live.ids();
      // Redis is notified after the commit: alerts between the two were not acknowledged,
      // and the detector sends them again.
      const due = transport === "redis" ? acknowledged : committed;
      await expect.poll(() => [...seen()].sort()).toEqual(expect.arrayContaining(idsOf(due)));
      await recorder.record(unacknowledged);
      expect(await recorder.count()).toBe(acknowledged.length + 80);
      const all = idsOf([...acknowledged, ...unacknowledged]);
      if (transport === "postgresql") await expect.poll(() => [...seen()].sort()).toEqual(all);
      expect(new Set(seen()).size).toBe(seen().length);
    },
  );
});
