// Not on a cluster: its nodes commit for themselves, so that less can be found out.
// Takes long: each commit waits until it is known to be lost.
import { inject } from "vitest";
import type { PrismaClient } from "../../src/generated/prisma/client.js";
import type { Gateway } from "../support/harness.js";
import { callOf } from "../support/mutation-calls.js";
import { caseOf, initOf, requestOf } from "../support/route-cases.js";
import type { Fate, StatementProxy } from "../support/statement-proxy.js";
import { senderFor, type TestWorkspace } from "../support/test-workspace.js";
import { ProxiedGateway } from "./proxied-gateway.js";

const { server } = inject("resources");

const safe = "The service is temporarily unavailable; it is safe to retry";

describe.runIf(server)("a write whose COMMIT is not answered", () => {
  let proxied: ProxiedGateway;
  let gateway: Gateway;
  let proxy: StatementProxy;
  /** Leads to the database past the proxy. */
  let prisma: PrismaClient;
  beforeAll(async () => {
    proxied = await ProxiedGateway.start({ environment: { DATABASE_CONNECT_TIMEOUT: "1000" } });
    ({ gateway, proxy, prisma } = proxied);
  });
  afterAll(() => gateway.close());

  const freshWorkspace = () => proxied.freshWorkspace();

  const entriesOf = ({ ids: { workspaceId } }: TestWorkspace) =>
    prisma.auditEntry.count({ where: { workspaceId } });

  /**
   * Makes the first COMMIT after an audit entry meet a fate, and the statements after it
   * another.
   */
  function meet(fate: Fate, then: Fate = "forward"): () => boolean {
    const writing = new Set<number>();
    let hasMet = false;
    proxy.decide = ({ text, pid }) => {
      if (hasMet) return then;
      if (text.includes('INSERT INTO "AuditEntry"')) writing.add(pid);
      if (text !== "COMMIT" || !writing.has(pid)) return "forward";
      hasMet = true;
      return fate;
    };
    return () => hasMet;
  }

  async function send(name: string, workspace: TestWorkspace, headers: Record<string, string> = {}) {
    const [query, variables] = await callOf(prisma, name, workspace);
    return gateway.graphql<Record<string, unknown>>(query, { as: workspace.admin.user, variables, headers });
  }

  const ends: [what: string, fate: Fate, isCommitted: boolean | undefined][] = [
    ["is not sent", "cut", false],
    ["is still on its way", "withhold", false],
    ["comes after the end of its session", "terminate", false],
    ["is not sent, by a reset of the connection", "reset", false],
    ["is carried out", "run and cut", true],
    ["is carried out, followed by a reset of the connection", "run and reset", true],
    ["is carried out before the end of its session", "answer and terminate", true],
    ["may be carried out", "forward and cut", undefined],
  ];
  // Writes that a repetition would do twice, and one of each other kind: with one record,
  // with several, and with reads after the write.
  const doubled = [
    "createCamera",
    "createFacility",
    "createApiKey",
    "commentAlert",
    "createUser",
    "createAlertRule",
    "requestStreamProbe",
  ];
  const others = [
    "redeliver",
    "sendTestDelivery",
    "setAlertBookmark",
    "markAlerts",
    "deleteCamera",
    "recordAlerts",
    "recordStreamError",
  ];

  describe.each([...doubled, ...others])("%s", (name) => {
    it.each(ends)("reports its outcome if COMMIT %s", async (_what, fate, isCommitted) => {
      const workspace = await freshWorkspace();
      const before = await entriesOf(workspace);
      const hasMet = meet(fate);
      const { data, errors } = await send(name, workspace);
      proxy.decide = () => "forward";
      expect(hasMet()).toBe(true);
      const wasCommitted = (await entriesOf(workspace)) > before;
      if (isCommitted !== undefined) expect(wasCommitted).toBe(isCommitted);
      if (wasCommitted)
        expect({ errors, result: data[name] }).toEqual({ errors: undefined, result: expect.anything() });
      else expect(errors).toMatchObject([{ message: safe, extensions: { code: "UNAVAILABLE" } }]);
    });
  });

  /** Uploads a camera's picture, and returns the answer and the links to the pictures of all cameras. */
  async function upload(workspace: TestWorkspace) {
    const each = caseOf(15);
    const response = await gateway.fetch(requestOf(each, { ...workspace.ids }), {
      as: senderFor(each, workspace.admin),
      ...initOf(each),
    });
    proxy.decide = () => "forward";
    const body = (await response.json()) as { message?: string };
    const { data } = await gateway.graphql<{ cameras: { imageLink: string | null }[] }>(
      "{ cameras { imageLink } }",
      { as: workspace.admin.user },
    );
    await gateway.app.idle();
    const links = data.cameras.flatMap(({ imageLink }) => (imageLink?.includes("/files/") ? imageLink : []));
    const statuses = await Promise.all(links.map(async (link) => (await fetch(link)).status));
    return { status: response.status, body, statuses };
  }

  it("reports the outcome of an upload, and keeps its picture", async () => {
    meet("run and cut");
    expect(await upload(await freshWorkspace())).toMatchObject({ status: 200, statuses: [200] });
    meet("withhold");
    expect(await upload(await freshWorkspace())).toMatchObject({ body: { message: safe }, statuses: [] });
  });

  describe("and whose database cannot be asked", () => {
    const unknown = expect.stringMatching(
      /^It is not known whether the change was made.*With the Idempotency-Key of this request it is safe to retry/,
    );

    it.each(["run and cut", "cut"] as const)("does not claim that it is safe to retry: %s", async (fate) => {
      const workspace = await freshWorkspace();
      meet(fate, "cut");
      const { errors, headers } = await send("createCamera", workspace);
      proxy.decide = () => "forward";
      expect(errors).toMatchObject([{ message: unknown, extensions: { code: "UNAVAILABLE" } }]);
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    });

    it.each(["run and cut", "cut"] as const)(
      "is carried out once by a repetition with its key: %s",
      async (fate) => {
        const workspace = await freshWorkspace();
        const { workspaceId } = workspace.ids;
        const headers = { "idempotency-key": "first" };
        const before = await prisma.camera.count({ where: { workspaceId } });
        meet(fate, "cut");
        expect((await send("createCamera", workspace, headers)).errors).toMatchObject([{ message: unknown }]);
        proxy.decide = () => "forward";
        expect((await send("createCamera", workspace, headers)).errors).toBeUndefined();
        expect(await prisma.camera.count({ where: { workspaceId } })).toBe(before + 1);
      },
    );

    it("keeps the pictures of an upload that may have been carried out", async () => {
      meet("run and cut", "cut");
      expect(await upload(await freshWorkspace())).toMatchObject({
        body: { code: "UNAVAILABLE", message: unknown },
        statuses: [200],
      });
    });

    it("may be repeated if it records alerts, which are known by their ids", async () => {
      const workspace = await freshWorkspace();
      meet("run and cut", "cut");
      const { errors } = await send("recordAlerts", workspace);
      proxy.decide = () => "forward";
      expect(errors).toMatchObject([{ message: safe }]);
    });
  });

  describe("or whose result cannot be read", () => {
    /** Cuts a number of statements that follow a COMMIT with an audit entry. */
    function cutAfterCommit(times: number): void {
      const writing = new Set<number>();
      let left: number | undefined;
      proxy.decide = ({ text, pid }) => {
        if (left !== undefined && left > 0) {
          left -= 1;
          return "cut";
        }
        if (text.includes('INSERT INTO "AuditEntry"')) writing.add(pid);
        if (text === "COMMIT" && writing.has(pid)) left ??= times;
        return "forward";
      };
    }
    const nested = `mutation ($id: UUID!) {
      createCamera(facilityId: $id, input: { name: "Made", url: "rtsp://camera.example/1", streamType: DIRECT }) { camera { id facility { name } } }
    }`;

    it.each(["setAlertBookmark", "sendTestDelivery", "redeliver"])("reads it again: %s", async (name) => {
      const workspace = await freshWorkspace();
      const before = await entriesOf(workspace);
      cutAfterCommit(1);
      const { data, errors } = await send(name, workspace);
      proxy.decide = () => "forward";
      expect({ errors, result: data[name] }).toEqual({ errors: undefined, result: expect.anything() });
      expect(await entriesOf(workspace)).toBe(before + 1);
    });

    it("says that the change was made", async () => {
      const workspace = await freshWorkspace();
      cutAfterCommit(Number.POSITIVE_INFINITY);
      const { errors } = await gateway.graphql(nested, {
        as: workspace.admin.user,
        variables: { id: workspace.ids.facilityId },
      });
      proxy.decide = () => "forward";
      expect(errors).toMatchObject([
        {
          message: "The change was made, but what was selected of it could not be read",
          extensions: { code: "UNAVAILABLE" },
        },
      ]);
    });

    it("says which of several changes were made", async () => {
      const workspace = await freshWorkspace();
      cutAfterCommit(Number.POSITIVE_INFINITY);
      const query = `mutation { first: updateMe(input: { firstName: "Ada", lastName: "L", jobTitle: "T" }) { id }
        second: createFacility(input: { name: "Made", timeZoneId: "UTC" }) { id } }`;
      const { errors } = await gateway.graphql(query, { as: workspace.admin.user });
      proxy.decide = () => "forward";
      expect(errors).toMatchObject([
        {
          path: ["second"],
          message: expect.stringContaining("this change was not made, but those before it were"),
        },
      ]);
    });
  });
});
