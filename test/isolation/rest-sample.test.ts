// Runs once: both kinds of databases run the same statements.
import { randomUUID } from "node:crypto";
import { exportedIds, fileOf, linkTo, pathOf } from "../export/exports.js";
import { plainPng } from "../support/png.js";
import {
  answerOf,
  ask,
  changed,
  expectHidden,
  gateway,
  nameOf,
  openSites,
  positions,
  shown,
  withoutIds,
} from "./asking-by-rest.js";
import { expectationOfRoute, idOf } from "./expectations.js";
import { callerNames, type MarkedFacility } from "./isolation-site.js";

beforeAll(openSites);

// What rest.test.ts asks for as each caller, in short.

it.each(positions)(
  "a hidden id is answered like one that never existed, and changes nothing, by %s",
  (_position, asked) => {
    const { outcomes } = expectationOfRoute(asked.route, asked);
    return expectHidden(asked, [[outcomes.siteUser === "FORBIDDEN" ? "otherAdmin" : "siteUser"]]);
  },
);

describe("shows each caller exactly the visible objects by", () => {
  const idIn = {
    facilities: idOf.facility,
    cameras: idOf.camera,
    alerts: (site: MarkedFacility) => site.alertIds,
  };
  const lists = withoutIds.filter(
    ({ method, path }) => method === "get" && path !== "/user" && path !== "/alerts/export",
  );
  it.each(lists.map((route) => [nameOf(route), route] as const))("%s", async (_name, route) => {
    for (const callerName of callerNames) {
      const caller = shown.callers[callerName];
      const { text } = await ask(route, caller.as, shown.near);
      const list = JSON.parse(text).data;
      const ids = (list.alerts ?? list).map(({ id }: { id: string }) => id);
      const kind = route.path.split("/").at(-1) as keyof typeof idIn;
      expect({ callerName, ids: ids.toSorted() }).toEqual({
        callerName,
        ids: caller.sites.flatMap(idIn[kind]).toSorted(),
      });
    }
  });

  it("the link to an export, whoever opens it", async () => {
    const filter = { start: "2026-11-01T00:00:00Z", end: "2026-12-01T00:00:00Z" };
    for (const callerName of callerNames) {
      const { as, sites, hidden } = shown.callers[callerName];
      if (sites.length === 0) continue;
      const idsBehind = async (more: object) => {
        const { url } = await linkTo(gateway, as, { ...filter, ...more });
        return exportedIds(await fileOf(await gateway.fetch(pathOf(url))));
      };
      expect((await idsBehind({})).toSorted()).toEqual(sites.flatMap(({ alertIds }) => alertIds).toSorted());
      for (const { facilityId } of hidden) expect(await idsBehind({ facilityId })).toEqual([]);
    }
  });
});

describe("the links of one object or purpose do not open another:", () => {
  it("a picture's signature, for a foreign picture and for none", async () => {
    const key = `users/${shown.callers.admin.userId}.webp`;
    await gateway.prisma.user.updateMany({
      where: { id: { in: [shown.callers.admin.userId, shown.callers.otherAdmin.userId] as string[] } },
      data: { picture: key },
    });
    const { me } = await gateway.data<{ me: { picture: string } }>("{ me { picture } }", {
      as: shown.callers.admin.as,
    });
    const signed = pathOf(me.picture);
    const answers = [`users/${shown.callers.otherAdmin.userId}.webp`, `users/${randomUUID()}.webp`].map(
      async (other) => answerOf(await gateway.fetch(signed.replace(key, other))),
    );
    const [foreign, unknown] = await Promise.all(answers);
    expect(foreign?.code).toBe("NOT_FOUND");
    expect(foreign).toEqual(unknown);
  });

  it("tickets for exports and uploads", async () => {
    const { as, sites } = changed.callers.otherAdmin;
    const { url: exportUrl } = await linkTo(gateway, as, {
      start: "2026-11-01T00:00:00Z",
      end: "2026-12-01T00:00:00Z",
    });
    const query = "mutation ($cameraId: UUID!) { createAlertUpload(cameraId: $cameraId) { url } }";
    const { createAlertUpload } = await gateway.data<{ createAlertUpload: { url: string } }>(query, {
      as,
      variables: { cameraId: sites[0]?.cameraId },
    });
    const [exportTicket, uploadTicket] = [exportUrl, createAlertUpload.url].map(
      (url) => new URL(url).searchParams.get("ticket") as string,
    );
    const upload = {
      method: "PUT",
      body: Uint8Array.from(plainPng()),
      headers: { "content-type": "image/png" },
    };
    const answers = [
      await answerOf(await gateway.fetch(`/alerts/export?ticket=${uploadTicket}`)),
      await answerOf(await gateway.fetch(`/files/uploads?ticket=${exportTicket}`, upload)),
      await answerOf(await gateway.fetch(`/files/uploads?ticket=${randomUUID()}`, upload)),
    ];
    expect(answers.map(({ status, code }) => ({ status, code }))).toEqual(
      Array(3).fill({ status: 404, code: "NOT_FOUND" }),
    );
  });
});
