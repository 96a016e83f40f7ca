// Needs no gateway.

import { createServer } from "node:https";
import { FrigateClient } from "../../src/programs/connectors/frigate/frigate-client.js";
import { missedReviews } from "../../src/programs/connectors/frigate/reviews/missed-reviews.js";
import { hasOpenssl, selfSigned } from "../feed/self-signed.js";
import { listOf } from "../support/list-of.js";
import { listenForTest } from "../support/listening.js";
import { FrigateStandIn } from "./frigate-stand-in.js";

let frigate: FrigateStandIn;
beforeEach(async () => {
  frigate = await FrigateStandIn.forTest();
});

function clientOf(access: ConstructorParameters<typeof FrigateClient>[0]): FrigateClient {
  const client = new FrigateClient(access, new AbortController().signal);
  onTestFinished(() => client.close());
  return client;
}

describe("Frigate's login", () => {
  const login = { user: "viewer", password: "s3cret" };

  it("is made once for requests at the same time, and again when it has expired", async () => {
    frigate.login = login;
    const client = clientOf({ url: frigate.url, username: "viewer", password: "s3cret" });
    const ask = () => Promise.all(listOf(5, () => client.version()));
    const logins = () => frigate.requests.filter((request) => request === "POST /api/login").length;
    await ask();
    expect(logins()).toBe(1);
    frigate.expireLogins();
    await ask();
    expect(logins()).toBe(2);
  });

  it("that is refused is not tried again and again", async () => {
    frigate.login = login;
    const client = clientOf({ url: frigate.url, username: "viewer", password: "wrong" });
    for (let times = 0; times < 5; times += 1)
      await expect(client.version()).rejects.toThrow("frigate.username or frigate.password is wrong");
    expect(frigate.requests).toEqual(["POST /api/login"]);
  });

  it("is asked for in words if it is not configured", async () => {
    frigate.login = login;
    await expect(clientOf({ url: frigate.url }).version()).rejects.toThrow("set frigate.username");
  });
});

describe.skipIf(!hasOpenssl)("a certificate that Frigate made for itself", () => {
  async function secureFrigate(): Promise<{ url: string; certificate: string }> {
    const { key, cert } = selfSigned();
    const server = createServer(
      { key, cert, minVersion: "TLSv1.2", ciphers: "DEFAULT@SECLEVEL=0" },
      (_, response) => response.end("0.17.0"),
    );
    return { url: `https://127.0.0.1:${await listenForTest(server)}`, certificate: cert.toString() };
  }

  it("is trusted if it is configured, whichever name it has, and otherwise not", async () => {
    const { url, certificate } = await secureFrigate();
    expect(await clientOf({ url, certificates: certificate }).version()).toBe("0.17.0");
    await expect(clientOf({ url }).version()).rejects.toThrow("self-signed certificate");
    const other = selfSigned().cert.toString();
    await expect(clientOf({ url, certificates: other }).version()).rejects.toThrow("self-signed certificate");
  });
});

it("an answer that is not as Frigate's are is an error in words, and for a picture it is as if there were none", async () => {
  const client = clientOf({ url: frigate.url });
  await expect(client.json("/api/nothing")).rejects.toThrow("Frigate answers 404 to /api/nothing");
  await expect(client.json("/api/version")).rejects.toThrow("is no JSON");
  expect(await client.picture("/api/version")).toBeNull();
  frigate.isAway = true;
  await expect(client.version()).rejects.toThrow("Frigate cannot be reached at http://127.0.0.1");
});

it("Frigate may be below a path", async () => {
  await expect(clientOf({ url: `${frigate.url}/frigate` }).version()).rejects.toThrow("404");
  expect(frigate.requests).toEqual(["GET /frigate/api/version"]);
});

describe("what was missed", () => {
  it("comes once each, the oldest first, in pages of a bounded size, however it is spread over time", async () => {
    const now = Date.now() / 1000;
    const start = now - 30 * 86_400;
    const add = (id: string, start_time: number, end_time: number | null = start_time + 30) =>
      frigate.review({ id, start_time, end_time });
    await add("goes on", start - 5, null);
    await add("is over", start - 100);
    // A busy day, a burst within a second, and a quiet month.
    for (let index = 0; index < 9000; index += 1) await add(`busy ${index}`, start + index * 9.6);
    for (let index = 0; index < 500; index += 1) await add(`burst ${index}`, start + 900_000 + index / 1000);
    for (let index = 0; index < 500; index += 1)
      await add(`quiet ${index}`, start + 1_000_000 + index * 3000);
    await add("just now", now - 1, null);
    const found: string[] = [];
    const sizes: number[] = [];
    let last = 0;
    for await (const { reviews, until } of missedReviews(clientOf({ url: frigate.url }), start * 1000)) {
      found.push(...reviews.map(({ id }) => id));
      sizes.push(reviews.length);
      expect(until).toBeGreaterThan(last);
      last = until;
    }
    frigate.reviews.delete("is over");
    expect(found).toEqual([...frigate.reviews.keys()]);
    expect(Math.max(...sizes)).toBeLessThan(800);
    // A constant number of requests for each page that is full.
    expect(frigate.requests.length).toBeLessThan(4 * (found.length / 200));
    // Frigate writes a moment after it has told: the last minute is to be looked at again.
    expect(Date.now() - last).toBeGreaterThanOrEqual(59_000);
  });

  it.each(["0.14.1", "0.16.2-4d58206", "0.17.1-416a9b7"])("is complete with Frigate %s", async (version) => {
    frigate.version = version;
    const now = Date.now() / 1000;
    const after = now - 600;
    await frigate.review({ id: "over before", start_time: after - 20, end_time: after - 10 });
    await frigate.review({ id: "an alert only later", start_time: after - 1200, end_time: after + 300 });
    await frigate.review({ id: "goes on", start_time: after - 1000 });
    for (let index = 0; index < 500; index += 1)
      await frigate.review({ id: `${index}`, start_time: after + index, end_time: after + index + 15 });
    for (const id of frigate.reviews.keys()) frigate.lookedAt.add(id);
    const found: string[] = [];
    let last = after * 1000;
    for await (const { reviews, until } of missedReviews(clientOf({ url: frigate.url }), after * 1000)) {
      found.push(...reviews.map(({ id }) => id));
      last = until;
    }
    frigate.reviews.delete("over before");
    expect(found).toEqual([...frigate.reviews.keys()]);
    expect(Math.abs(now * 1000 - last - 60_000)).toBeLessThan(20_000);
  });

  it("is complete if there are rows that cannot be read, and unknown if there is no list", async () => {
    const now = Date.now() / 1000;
    for (let index = 0; index < 300; index += 1)
      await frigate.review({ id: `${index}`, start_time: now - 3600 + index, end_time: now - 3590 + index });
    await frigate.review({ id: "unreadable".repeat(100), start_time: now - 1000, end_time: now - 900 });
    const client = clientOf({ url: frigate.url });
    const found: string[] = [];
    for await (const { reviews } of missedReviews(client, (now - 7200) * 1000))
      found.push(...reviews.map(({ id }) => id));
    expect(found).toEqual(listOf(300, (index) => `${index}`));
    frigate.reviewList = { success: false };
    await expect(missedReviews(client, now * 1000).next()).rejects.toThrow("not a list");
  });

  it("is complete until a time by Frigate's clock, which may be wrong", async () => {
    frigate.clockAheadMs = -3_600_000;
    const start = Date.now() - 7_200_000;
    for await (const { until } of missedReviews(clientOf({ url: frigate.url }), start))
      expect(Math.abs(Date.now() - 3_660_000 - until)).toBeLessThan(20_000);
  });
});
