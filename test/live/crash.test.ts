import { randomUUID } from "node:crypto";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { type GivenAlert, Recorder, recordAlerts } from "../ingestion/recorder.js";
import { addressOf, gatewaySettings, startCommand } from "../operation/running-command.js";
import { authorizationOf } from "../support/harness.js";
import { newGround } from "../writes/ground.js";
import { subscriber } from "./live-socket.js";

const { server } = inject("templates");
const redisUrl = process.env.TEST_REDIS_URL;
const transports: { transport: string; environment: Record<string, string> }[] = [{ transport: "postgresql", environment: {} }];
if (redisUrl) transports.push({ transport: "redis", environment: { REDIS_URL: redisUrl } });

describe.runIf(server)("two gateways on one database", () => {
  it.each(transports)(
    "a gateway that is killed while alerts stream in loses none that it acknowledged, and subscribers of another miss none, by $transport",
    async ({ transport, environment }) => {
      const ground = await newGround();
      const survivor = await ground.start({ environment });
      onTestFinished(async () => {
        await survivor.close();
        await ground.remove();
      });
      const recorder = await Recorder.open(survivor);
      const killed = startCommand("main", { environment: { ...gatewaySettings(ground.variables), ...environment } });
      const address = await addressOf(killed);
      const live = await subscriber(survivor, recorder.admin.as, "subscription { alertRaised { id } }");
      const headers = { "content-type": "application/json", authorization: (await authorizationOf(recorder.admin.as)) as string };
      const acknowledged: GivenAlert[] = [];
      const unanswered: GivenAlert[] = [];
      const detector = async () => {
        while (unanswered.length < 80) {
          const input = Array.from({ length: 20 }, () => recorder.alert({ id: randomUUID() }));
          const body = JSON.stringify({ query: recordAlerts, variables: { input } });
          const answer = await fetch(`${address}/graphql`, { method: "POST", headers, body }).then(
            (response) => response.json() as Promise<{ data: { recordAlerts: { recorded: number } } }>,
            () => undefined,
          );
          if (!answer) return void unanswered.push(...input);
          expect(answer.data.recordAlerts.recorded).toBe(20);
          acknowledged.push(...input);
        }
      };
      const detectors = Promise.all(Array.from({ length: 4 }, detector));
      await expect.poll(() => acknowledged.length, { timeout: 20_000, interval: 1 }).toBeGreaterThan(400);
      await killed.kill();
      await detectors;
      expect(unanswered).toHaveLength(80);
      const committed = await survivor.prisma.alert.findMany({ where: { workspaceId: recorder.workspaceId }, select: { id: true } });
      const idsOf = (alerts: { id: string }[]) => alerts.map(({ id }) => id).sort();
      expect(idsOf(committed)).toEqual(expect.arrayContaining(idsOf(acknowledged)));
      const seen = () => live.results<{ alertRaised: { id: string } }>().map(({ data }) => data?.alertRaised.id as string);
      // Redis is told behind the commit: what came between the two was not acknowledged, and its detector sends it again.
      const due = transport === "redis" ? acknowledged : committed;
      await expect.poll(() => [...seen()].sort(), { timeout: 10_000 }).toEqual(expect.arrayContaining(idsOf(due)));
      await recorder.record(unanswered);
      expect(await recorder.count()).toBe(acknowledged.length + 80);
      const all = idsOf([...acknowledged, ...unanswered]);
      if (transport === "postgresql") await expect.poll(() => [...seen()].sort(), { timeout: 10_000 }).toEqual(all);
      expect(new Set(seen()).size).toBe(seen().length);
    },
  );
});
