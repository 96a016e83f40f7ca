import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { request } from "node:http";
import { promisify } from "node:util";
import { WebSocket } from "ws";
import { eventually } from "../support/eventually.js";
import { formOf } from "../support/forms.js";
import { addressOf } from "../support/running-command.js";
import { pictureAs } from "../uploads/sample-pictures.js";
import { haproxyPath } from "./programs.js";
import { configuration, graphql, type Site, send, startSite } from "./site.js";

describe.runIf(existsSync(haproxyPath))("haproxy.cfg", () => {
  it("has no errors", async () => {
    // The names of containers.
    const environment = { GATEWAY_1: "127.0.0.1:4001", GATEWAY_2: "127.0.0.1:4002" };
    const { stderr } = await promisify(execFile)(haproxyPath, ["-c", "-f", configuration], {
      env: environment,
    });
    expect(stderr).not.toMatch(/WARNING|ALERT/);
  });
});

describe.runIf(existsSync(haproxyPath) && process.env.TEST_DATABASE_URL)("through HAProxy", () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite();
    return site.close;
  });

  it("the gateways get the client's own address, not a claimed one", async () => {
    const target = `/cameras?claim=${randomUUID()}`;
    const headers = { authorization: site.authorization, "x-forwarded-for": "203.0.113.9" };
    await new Promise((resolve, reject) => {
      const outgoing = request(
        site.proxy + target,
        { headers, localAddress: "127.0.0.2", agent: false },
        (response) => response.resume().once("end", resolve),
      );
      outgoing.once("error", reject).end();
    });
    const line = await eventually(
      async () =>
        site.gateways
          .flatMap(({ output }) => output.split("\n"))
          .find((each) => each.includes('"127.0.0.2"')),
      (found) => found !== undefined,
    );
    expect(JSON.parse(line as string)).toMatchObject({ address: "127.0.0.2", route: "/cameras" });
  });

  it("a picture of the largest size is added, and either gateway shows it", async () => {
    const { createFacility } = await graphql<{ createFacility: { id: string } }>(
      site,
      `mutation { createFacility(input: { name: "Plant", timeZoneId: "Europe/Istanbul" }) { id } }`,
    );
    const jpeg = await pictureAs("jpeg");
    const cameraImage = Buffer.concat([jpeg, Buffer.alloc(10 * 1024 * 1024 - jpeg.length)]);
    const body = formOf({ cameraImage, cameraName: "Door", metadata: {} });
    const added = await send(site, `/facilities/${createFacility.id}/client_cameras`, {
      method: "POST",
      body,
    });
    expect(await added.json()).toMatchObject({ status: "ok" });
    const { cameras } = await graphql<{ cameras: { imageLink: string }[] }>(
      site,
      "{ cameras { imageLink } }",
    );
    const { pathname, search } = new URL(cameras[0]?.imageLink as string);
    const shown = await Promise.all(
      site.gateways.map(async (gateway) => fetch((await addressOf(gateway)) + pathname + search)),
    );
    expect(shown.map(({ status }) => status)).toEqual([200, 200]);
  });

  it("WebSockets are opened", async () => {
    const socket = new WebSocket(`${site.proxy.replace("http", "ws")}/graphql`, "graphql-transport-ws");
    onTestFinished(() => socket.terminate());
    socket.on("open", () =>
      socket.send(
        JSON.stringify({ type: "connection_init", payload: { authorization: site.authorization } }),
      ),
    );
    const answer = await new Promise((resolve, reject) => {
      socket.once("message", (message) => resolve(JSON.parse(String(message))));
      socket.once("error", reject);
    });
    expect(answer).toEqual({ type: "connection_ack" });
  });

  it("metrics are not shown", async () => {
    const statuses = await Promise.all(
      ["/metrics", "/metrics/", "/METRICS?x"].map(async (target) => (await send(site, target)).status),
    );
    expect(statuses).toEqual([404, 404, 404]);
  });

  it("without a gateway, clients learn that they should try again", async () => {
    const own = await startSite();
    onTestFinished(own.close);
    await Promise.all(own.gateways.map((gateway) => gateway.kill()));
    const refused = await eventually(
      () => send(own, "/cameras"),
      ({ status }) => status !== 200,
    );
    expect([refused.status, refused.headers.get("retry-after"), await refused.json()]).toEqual([
      503,
      "5",
      expect.objectContaining({ code: "UNAVAILABLE" }),
    ]);
  });
});
