import { type Permission, permissions } from "../../src/engine/access/permissions.js";
import {
  createAdmin,
  createAlerts,
  createApiKey,
  createCamera,
  createFacility,
  createTestUser,
  createWorkspace,
  type TestUser,
  unknownId,
} from "../support/factories.js";
import { type Call, refusal, run, sharedGateway } from "../support/harness.js";

type Place = { workspaceId: string; facilityId: string; cameraId: string };

const start = new Date(Math.floor(Date.now() / 1000) * 1000);

let clock = start;

const gateway = await sharedGateway({ now: () => clock });

const { prisma } = gateway;
const newPlace = async (workspaceId: string): Promise<Place> => {
  const facilityId = await createFacility(prisma, { workspaceId });
  return { workspaceId, facilityId, cameraId: await createCamera(prisma, { workspaceId, facilityId }) };
};
const workspaceId = await createWorkspace(prisma);
const here = await newPlace(workspaceId);
const admin = await createAdmin(prisma, workspaceId);

interface Comment {
  id: string;
  text: string;
  authorName: string | null;
  author: { id: string } | null;
  createdAt: string;
}

const newAlert = async (place = here) => (await createAlerts(gateway.prisma, [place]))[0] as string;
const newUser = (actions: readonly Permission[], place = here) =>
  createTestUser(gateway.prisma, { workspaceId: here.workspaceId, at: { [place.facilityId]: [...actions] } });
const fields = "id text authorName author { id } createdAt";
const comment = (id: string, text = "A cat"): Call => [
  `mutation ($id: UUID!, $text: String!) { comment: commentAlert(id: $id, text: $text) { ${fields} } }`,
  { id, text },
];
const remove = (id: string): Call => [
  `mutation ($id: UUID!) { comment: deleteAlertComment(id: $id) { ${fields} } }`,
  { id },
];
const edit = (id: string, text: string): Call => [
  `mutation ($id: UUID!, $text: String!) { comment: editAlertComment(id: $id, text: $text) { ${fields} editedAt } }`,
  { id, text },
];
const written = async (caller: Pick<TestUser, "as">, call: Call) =>
  (await run<{ comment: Comment }>(gateway, caller, call)).comment;
interface Comments {
  nodes: Comment[];
  totalCount: number;
}
const commentsOf = async (id: string, { as }: Pick<TestUser, "as"> = admin, page = "") => {
  const query = `query ($id: UUID!) { alert(id: $id) { comments${page} { nodes { ${fields} } totalCount } } }`;
  const { alert } = await gateway.data<{ alert: { comments: Comments } }>(query, { as, variables: { id } });
  return alert.comments;
};
const storedComments = (alertId: string) => gateway.prisma.alertComment.count({ where: { alertId } });
const name = (user: TestUser, firstName: string | null, lastName: string | null) =>
  gateway.prisma.user.updateMany({ where: { id: user.id }, data: { firstName, lastName } });
const notFound = { code: "NOT_FOUND", message: "Not found" };
const forbidden = (permission: Permission) => ({
  code: "FORBIDDEN",
  message: `This needs the permission ${permission} at the facility`,
});
const notForKeys = { code: "FORBIDDEN", message: expect.stringMatching(/an API key is not a user/) };

describe("commentAlert", () => {
  it("adds a comment with its author and time, for everyone who sees the alert", async () => {
    const author = await newUser(["alerts:write"]);
    await name(author, "Ada", "Lovelace");
    const id = await newAlert();
    const text = "Only a cat.\r\n\t=1+1 \u05d0\u200f 🐈 <b>";
    const expected = {
      id: expect.any(String),
      text,
      authorName: "Ada Lovelace",
      createdAt: clock.toISOString(),
    };
    expect(await written(author, comment(id, text))).toEqual({ ...expected, author: { id: author.id } });
    expect(await commentsOf(id, await newUser(["cameras:read"]))).toEqual({
      nodes: [{ ...expected, author: null }],
      totalCount: 1,
    });
    expect((await commentsOf(id)).nodes).toEqual([{ ...expected, author: { id: author.id } }]);
  });

  it("lists comments newest first, in pages", async () => {
    const id = await newAlert();
    for (const [seconds, text] of ["first", "second", "third"].entries()) {
      clock = new Date(start.getTime() + seconds * 1000);
      await written(admin, comment(id, text));
    }
    expect(await commentsOf(id, admin, "(first: 2)")).toMatchObject({
      nodes: [{ text: "third" }, { text: "second" }],
      totalCount: 3,
    });
  });

  it("keeps the author's name when the author is renamed or removed", async () => {
    const author = await newUser(["alerts:write"]);
    const id = await newAlert();
    await name(author, "Ada", null);
    await written(author, comment(id));
    await name(author, null, null);
    expect(await written(author, comment(id))).toMatchObject({ authorName: null });
    await run(gateway, admin, [
      "mutation ($id: UUID!) { removeUser(userId: $id) { id } }",
      { id: author.id },
    ]);
    const { nodes } = await commentsOf(id);
    expect(nodes.map(({ authorName, author }) => [authorName, author]).toSorted()).toEqual([
      [null, null],
      ["Ada", null],
    ]);
  });

  it("rejects an API key, which has no name, as deleteAlertComment does", async () => {
    const id = await newAlert();
    const key = await createApiKey(gateway.prisma, {
      workspaceId: here.workspaceId,
      permissions: [...permissions],
    });
    expect(await refusal(gateway, { as: key }, comment(id))).toMatchObject(notForKeys);
    expect(await refusal(gateway, { as: key }, comment(unknownId))).toEqual(notFound);
    const { id: commentId } = await written(admin, comment(id));
    expect(await refusal(gateway, { as: key }, remove(commentId))).toMatchObject(notForKeys);
    expect(await storedComments(id)).toBe(1);
  });

  it("rejects more than 500 comments on an alert, also of several users at once", async () => {
    const alertId = await newAlert();
    const comment500 = { ...here, alertId, authorId: admin.id, text: "x", createdAt: clock };
    await gateway.prisma.alertComment.createMany({ data: Array(498).fill(comment500) });
    const users = [admin, await newUser(["alerts:write"]), await newUser(["alerts:write"])];
    const answers = await Promise.all(
      users.map(({ as }) => gateway.graphql(...asGraphQL(comment(alertId), as))),
    );
    expect(answers.map(({ errors }) => errors?.[0]?.extensions.code ?? "ok").toSorted()).toEqual([
      "CONFLICT",
      "ok",
      "ok",
    ]);
    expect(await storedComments(alertId)).toBe(500);
  });
});

const asGraphQL = ([query, variables]: Call, as: TestUser["as"]) => [query, { as, variables }] as const;

describe("editAlertComment", () => {
  const later = new Date(start.getTime() + 60_000);
  const at = async <Result>(time: Date, work: () => Promise<Result>) => {
    clock = time;
    try {
      return await work();
    } finally {
      clock = start;
    }
  };

  it("changes the author's text and records when, and keeps the rest", async () => {
    clock = start;
    const author = await newUser(["alerts:write"]);
    const id = await newAlert();
    const before = await written(author, comment(id));
    const edited = await at(later, () => written(author, edit(before.id, "A dog")));
    expect(edited).toEqual({ ...before, text: "A dog", editedAt: later.toISOString() });
    expect((await commentsOf(id, author)).nodes).toEqual([{ ...before, text: "A dog" }]);
  });

  it("leaves a comment as it was written if the text is the same", async () => {
    const { id } = await written(admin, comment(await newAlert()));
    expect(await written(admin, edit(id, "A cat"))).toMatchObject({ editedAt: null });
  });

  it("is for the author alone, whatever others may do", async () => {
    const author = await newUser(["alerts:write"]);
    const { id } = await written(author, comment(await newAlert()));
    expect(await refusal(gateway, admin, edit(id, "A dog"))).toEqual({
      code: "FORBIDDEN",
      message: "Only the author can change the text of a comment",
    });
    const key = await createApiKey(gateway.prisma, {
      workspaceId: here.workspaceId,
      permissions: ["alerts:write"],
    });
    expect(await refusal(gateway, { as: key }, edit(id, "A dog"))).toEqual(notForKeys);
  });
});

describe("deleteAlertComment", () => {
  it("deletes the caller's own comment, and returns it", async () => {
    const author = await newUser(["alerts:write"]);
    const alertId = await newAlert();
    const [first, second] = [
      await written(author, comment(alertId)),
      await written(author, comment(alertId)),
    ];
    expect(await written(author, remove(first.id))).toEqual(first);
    expect((await commentsOf(alertId)).nodes.map(({ id }) => id)).toEqual([second.id]);
    expect(await refusal(gateway, author, remove(first.id))).toEqual(notFound);
  });

  it("requires alerts:delete for a comment of somebody else, and alerts:write for any", async () => {
    const alertId = await newAlert();
    const author = await newUser(["alerts:write"]);
    const { id } = await written(author, comment(alertId));
    expect(await refusal(gateway, await newUser(["alerts:write"]), remove(id))).toEqual(
      forbidden("alerts:delete"),
    );
    expect(await refusal(gateway, await newUser(["alerts:delete"]), remove(id))).toEqual(
      forbidden("alerts:write"),
    );
    await gateway.prisma.facilityAccess.updateMany({
      where: { userId: author.id },
      data: { actions: ["alerts:read"] },
    });
    expect(await refusal(gateway, author, remove(id))).toEqual(forbidden("alerts:write"));
    expect(await storedComments(alertId)).toBe(1);
    await written(await newUser(["alerts:write", "alerts:delete"]), remove(id));
    expect(await storedComments(alertId)).toBe(0);
  });
});

it("comments are deleted with their alert, and do not come back with its id", async () => {
  const [alertId, kept] = [await newAlert(), await newAlert()];
  for (const id of [alertId, alertId, kept]) await written(admin, comment(id));
  await run(gateway, admin, [
    "mutation ($ids: [UUID!]!) { deleteAlerts(ids: $ids) { deletedIds } }",
    { ids: [alertId] },
  ]);
  expect([await storedComments(alertId), await storedComments(kept)]).toEqual([0, 1]);
  await createAlerts(gateway.prisma, [{ ...here, id: alertId }]);
  expect((await commentsOf(alertId)).nodes).toEqual([]);
});
