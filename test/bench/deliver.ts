import { createHmac, randomUUID } from "node:crypto";
import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { listOf } from "../support/list-of.js";
import type { BenchCase } from "./bench-case.js";
import { MeasuredProcess, median, round } from "./measured-process.js";
import { alertOf, measureRecording, recordBatch, removeRecorded } from "./record.js";
import { figure } from "./report.js";

const alertsPerRepetition = 2_000;
const alertsPerBatch = 500;
/** The gateway's maximum number of connections to one host. */
const connections = 4;
const secret = "the key of the bench's webhooks";

/**
 * Alerts per second that are recorded while every rule has a webhook, and deliveries per
 * second, compared with a bare loop that signs and posts bodies of the same size.
 */
export const benchDeliver: BenchCase = async (run) => {
  const receiver = await MeasuredProcess.start(
    ["--import", "tsx", "test/bench/webhook-receiver.ts"],
    {},
    /listening on (\S+)/,
  );
  const client = new pg.Client({ connectionString: run.database });
  await client.connect();
  const received = async () => Number(await (await fetch(receiver.url)).text());
  const drained = async () => {
    for (let isPending = true; isPending; await sleep(50)) {
      const { rows } = await client.query(
        `SELECT EXISTS (SELECT FROM "Delivery" WHERE "queueId" IS NOT NULL) AS "isPending"`,
      );
      isPending = rows[0].isPending;
    }
  };
  try {
    const webhook = [`${receiver.url}/webhook`, secret];
    await client.query(
      `UPDATE "AlertRule" SET "notificationUrl" = $1, "notificationSecret" = $2, "notificationEnabled" = true`,
      webhook,
    );
    const recording = await measureRecording(run, {
      name: "record with webhooks",
      atLeast: 0.45,
      end: new Date(),
    });
    await drained();
    const rates = { gateway: [] as number[], loop: [] as number[] };
    let n = 0;
    for (let repetition = -1; repetition < run.repetitions; repetition += 1) {
      const before = await received();
      const started = performance.now();
      for (let batch = 0; batch < alertsPerRepetition / alertsPerBatch; batch += 1) {
        await recordBatch(
          run,
          listOf(alertsPerBatch, () => alertOf(n++, new Date())),
        );
      }
      while ((await received()) < before + alertsPerRepetition) await sleep(10);
      const gateway = alertsPerRepetition / ((performance.now() - started) / 1000);
      await drained();
      const loop = await postSigned(receiver.url, JSON.stringify(alertOf(0).reported));
      // The first repetition warms up both sides.
      if (repetition < 0) continue;
      rates.gateway.push(gateway);
      rates.loop.push(loop);
    }
    const ratio = median(rates.gateway.map((rate, index) => rate / (rates.loop[index] as number)));
    const loop = Math.round(median(rates.loop));
    return [
      ...recording,
      figure("deliver: posts per second, recorded meanwhile", Math.round(median(rates.gateway)), "/s", {
        atLeast: Math.min(300, loop / 2),
      }),
      figure("deliver: relative to a bare loop of signed posts", round(ratio), "×"),
      figure("deliver, bare loop: posts per second", loop, "/s"),
    ];
  } finally {
    await client.query(
      `UPDATE "AlertRule" SET "notificationUrl" = NULL, "notificationSecret" = NULL, "notificationEnabled" = false`,
    );
    await client.query(`TRUNCATE "Delivery", "DeliveryQueue", "DeliveryTarget"`);
    await removeRecorded(client);
    await client.end();
    await receiver.stop();
  }
};

/** Signs and posts a body repeatedly. Returns the number of posts per second. */
async function postSigned(url: string, body: string): Promise<number> {
  const agent = new http.Agent({ keepAlive: true });
  const post = () =>
    new Promise<void>((resolve, reject) => {
      const id = randomUUID();
      const signature = createHmac("sha256", secret).update(`${id}.${Date.now()}.${body}`).digest("base64");
      const headers = {
        "content-type": "application/json",
        "webhook-id": id,
        "webhook-signature": `v1,${signature}`,
      };
      const request = http.request(url, { method: "POST", agent, headers }, (response) =>
        response.resume().on("end", resolve),
      );
      request.on("error", reject);
      request.end(body);
    });
  const started = performance.now();
  let left = alertsPerRepetition;
  const loop = async () => {
    for (; left > 0; left -= 1) await post();
  };
  await Promise.all(Array.from({ length: connections }, loop));
  agent.destroy();
  return alertsPerRepetition / ((performance.now() - started) / 1000);
}
