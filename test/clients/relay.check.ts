import type { Client } from "graphql-ws";
import relay, { type ConcreteRequest, type Environment, type ReaderFragment } from "relay-runtime";
import { eventually } from "../support/eventually.js";
import { documentSnippetsOfFile } from "./document-snippets.js";

interface AlertList {
  alerts: { edges: { node: { id: string } }[]; pageInfo: { endCursor: string } };
}

const filter = { start: "1970-01-01T00:00:00Z", end: "9999-01-01T00:00:00Z" };
const snippets = documentSnippetsOfFile();
const compiled = async <Node>(name: string) =>
  (await snippets.load<{ default: Node }>(`src/__generated__/${name}.graphql.js`)).default;

test("Relay compiles queries and fragments, and joins the pages of a list", async () => {
  await snippets.run("relay-compiler", ["relay.config.json"]);
  const { environment } = await snippets.load<{ environment: Environment }>("relay-environment.js");
  const query = await compiled<ConcreteRequest>("alertListQuery");
  const pageQuery = await compiled<ConcreteRequest>("alertListPageQuery");
  const fragment = await compiled<ReaderFragment>("alertList_alerts");

  const data = await relay.fetchQuery(environment, query, { filter }).toPromise();
  const selector = relay.getSingularSelector(fragment, data);
  const shown = () => (environment.lookup(selector as never).data as unknown as AlertList).alerts;
  expect(shown().edges).toHaveLength(20);
  await relay
    .fetchQuery(environment, pageQuery, { filter, count: 20, cursor: shown().pageInfo.endCursor })
    .toPromise();
  expect(new Set(shown().edges.map(({ node }) => node.id)).size).toBe(40);
});

test("Relay refetches a fragment on a camera by its node id", async () => {
  await snippets.add(
    "src/camera.js",
    `import { graphql } from "relay-runtime";
graphql\`query cameraListQuery { cameras { id ...camera_status } }\`;
graphql\`fragment camera_status on Camera @refetchable(queryName: "cameraStatusRefetchQuery") { id name statusDetail facility { name online } }\`;
`,
  );
  await snippets.run("relay-compiler", ["relay.config.json"]);
  const { environment } = await snippets.load<{ environment: Environment }>("relay-environment.js");
  const query = await compiled<ConcreteRequest>("cameraListQuery");
  const refetchQuery = await compiled<ConcreteRequest>("cameraStatusRefetchQuery");
  const fragment = await compiled<ReaderFragment>("camera_status");
  const { cameras } = (await relay.fetchQuery(environment, query, {}).toPromise()) as {
    cameras: { id: string; __id: string }[];
  };
  const selector = relay.getSingularSelector(fragment, cameras[0]);
  const shown = () =>
    environment.lookup(selector as never).data as unknown as { nodeId: string; statusDetail: string };
  const statusDetail = `Cleaned ${Date.now()}`;
  await snippets.ask(
    "mutation ($id: UUID!, $input: StatusDetailInput!) { setCameraStatusDetail(id: $id, input: $input) { id } }",
    { id: cameras[0]?.id, input: { statusDetail, source: "DASHBOARD" } },
  );
  expect(shown().statusDetail).not.toBe(statusDetail);
  await relay.fetchQuery(environment, refetchQuery, { nodeId: shown().nodeId }).toPromise();
  expect(shown().statusDetail).toBe(statusDetail);
});

test("Relay subscribes", async () => {
  await snippets.add(
    "src/heartbeats.js",
    'import { graphql } from "relay-runtime";\ngraphql`subscription heartbeatsSubscription { facilityHeartbeat { id name lastHeartbeatAt } }`;\n',
  );
  await snippets.run("relay-compiler", ["relay.config.json"]);
  const { environment } = await snippets.load<{ environment: Environment }>("relay-environment.js");
  const { live } = await snippets.load<{ live: Client }>("live.js");
  const subscription = await compiled<ConcreteRequest>("heartbeatsSubscription");
  const _as = { user: "demo|admin" };
  const { facilities } = await snippets.ask<{ facilities: { id: string }[] }>("{ facilities { id } }");
  const beat = () =>
    snippets.ask(
      "mutation ($id: UUID!) { recordHeartbeat(facilityId: $id) { id } }",
      facilities[0] as object,
    );
  const received: unknown[] = [];
  const { dispose } = relay.requestSubscription(environment, {
    subscription,
    variables: {},
    onNext: (data) => received.push(data),
  });
  await eventually(beat, () => received.length > 0);
  expect(received[0]).toMatchObject({ facilityHeartbeat: { id: facilities[0]?.id } });
  dispose();
  await live.dispose();
});
