// Runs once: both kinds of databases run the same statements.
import { exampleOperations } from "../../src/api/graphql/playground/examples.js";
import { type LiveSocket, subscriber } from "../live/live-socket.js";
import { createAdmin, createWorkspace } from "../support/factories.js";
import { ownGateway, type Sender } from "../support/harness.js";

const admin: Sender = { user: "demo|admin" };

interface Example {
  name: string;
  query: string;
  variables: object;
}

let cameraId: string;
let examples: Example[];
const gateway = await ownGateway({ seed: "demo" });

beforeAll(async () => {
  const { searchCameras } = await gateway.data<{
    searchCameras: { nodes: { id: string; facilityId: string }[] };
  }>("{ searchCameras(filter: {}, first: 1) { nodes { id facilityId } } }", { as: admin });
  const [camera] = searchCameras.nodes as [{ id: string; facilityId: string }];
  cameraId = camera.id;
  examples = examplesFor({ cameraId, facilityId: camera.facilityId });
});

const examplesFor = (records: Parameters<typeof exampleOperations>[1]) =>
  exampleOperations(new Date(), records).map(({ query, variables = "{}" }) => ({
    name: /^(?:query|mutation|subscription) (\w+)/m.exec(query)?.[1] as string,
    query,
    variables: JSON.parse(variables),
  }));

/** The example with a file, which is sent as a form. */
const withFile = "ChangeMyPicture";

it("every example of the playground runs without an error, and its subscriptions show what the others do", async () => {
  const subscriptions = new Map<string, LiveSocket>();
  for (const { name, query } of examples.filter((each) => each.query.includes("\nsubscription ")))
    subscriptions.set(name, await subscriber(gateway, admin, query));
  expect([...subscriptions.keys()]).toEqual(["LiveStatus", "RaisedAlerts"]);
  for (const { name, query, variables } of examples.filter(
    (each) => !subscriptions.has(each.name) && each.name !== withFile,
  )) {
    const { errors, data } = await gateway.graphql<object>(query, { as: admin, variables });
    expect(errors, name).toBeUndefined();
    expect(data, name).toBeTruthy();
  }
  await gateway.data(
    'mutation ($id: UUID!) { setCameraStatusDetail(id: $id, input: { source: DASHBOARD, statusDetail: "LENS_COVERED" }) { id } }',
    {
      as: admin,
      variables: { id: cameraId },
    },
  );
  for (const [name, live] of subscriptions) {
    await expect.poll(() => live.results().length, { message: name }).toBe(1);
    expect(live.results()[0]?.errors, name).toBeUndefined();
    expect(live.errors(), name).toBeUndefined();
  }
});

it("the examples of an empty workspace begin with what fills it, and what they create can be created again", async () => {
  const workspaceId = await createWorkspace(gateway.prisma);
  const { as } = await createAdmin(gateway.prisma, workspaceId);
  for (let repetition = 0; repetition < 2; repetition += 1) {
    const [facility, camera, user, key] = examplesFor({}) as [Example, Example, Example, Example];
    const run = <Data>({ query, variables }: Example) => gateway.data<Data>(query, { as, variables });
    const { createFacility } = await run<{ createFacility: { id: string } }>(facility);
    await run({ ...camera, variables: { ...camera.variables, facilityId: createFacility.id } });
    await run(user);
    const { createApiKey } = await run<{ createApiKey: { key: string } }>(key);
    expect(createApiKey.key).toMatch(/^cmk_/);
  }
  const names = (await gateway.prisma.facility.findMany({ where: { workspaceId } })).map(({ name }) => name);
  expect(new Set(names).size).toBe(2);
});
