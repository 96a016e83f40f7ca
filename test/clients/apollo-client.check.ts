import { type ApolloClient, gql } from "@apollo/client";
import type { Client } from "graphql-ws";
import { eventually } from "../support/eventually.js";
import { documentSnippetsOfFile } from "./document-snippets.js";

interface AlertList {
  alerts: {
    edges: { node: { id: string; bookmark: boolean } }[];
    pageInfo: { endCursor: string; hasNextPage: boolean };
  };
}

const filter = { start: "1970-01-01T00:00:00Z", end: "9999-01-01T00:00:00Z" };
const listAlerts = gql`
  query ($filter: AlertFilter!, $after: String) {
    alerts(filter: $filter, first: 10, after: $after) {
      edges { node { id bookmark } }
      pageInfo { endCursor hasNextPage }
    }
  }
`;
const setBookmark = gql`
  mutation ($id: UUID!) {
    setAlertBookmark(id: $id, bookmark: true) { id bookmark }
  }
`;
const record = gql`
  mutation ($input: [RecordAlertInput!]!) {
    recordAlerts(input: $input) { recorded }
  }
`;

const snippets = documentSnippetsOfFile();
const load = async () => (await snippets.load<{ client: ApolloClient }>("apollo-client.js")).client;

test("Apollo Client joins the pages of a list, and shows what a mutation changes in it", async () => {
  const client = await load();
  const query = client.watchQuery<AlertList>({ query: listAlerts, variables: { filter } });
  const shown = () => (query.getCurrentResult().data as AlertList | undefined)?.alerts;
  const subscription = query.subscribe(() => {});
  await expect.poll(() => shown()?.edges).toHaveLength(10);
  await query.fetchMore({ variables: { after: shown()?.pageInfo.endCursor } });
  await expect.poll(() => shown()?.edges).toHaveLength(20);
  const ids = shown()?.edges.map(({ node }) => node.id) ?? [];
  expect(new Set(ids).size).toBe(20);

  const unmarked = shown()?.edges.find(({ node }) => !node.bookmark)?.node.id;
  await client.mutate({ mutation: setBookmark, variables: { id: unmarked } });
  await expect.poll(() => shown()?.edges.find(({ node }) => node.id === unmarked)?.node.bookmark).toBe(true);
  subscription.unsubscribe();
});

test("Apollo Client subscribes beside its queries, and reads them again after a reconnection", async () => {
  const client = await load();
  const { live } = await snippets.load<{ live: Client }>("live.js");
  const sockets: { terminate(): void }[] = [];
  live.on("opened", (socket) => sockets.push(socket as (typeof sockets)[number]));
  const { data } = await client.query<{ cameras: { id: string; facilityId: string }[] }>({
    query: gql`{ cameras { id facilityId } }`,
  });
  const [camera] = data?.cameras ?? [];
  const query = client.watchQuery<{ facilities: { id: string; name: string }[] }>({
    query: gql`{ facilities { id name } }`,
  });
  const watching = query.subscribe(() => {});
  const received: string[] = [];
  const subscription = client
    .subscribe<{ alertRaised: { id: string } }>({
      query: gql`subscription ($id: UUID) { alertRaised(cameraId: $id) { id } }`,
      variables: { id: camera?.id },
    })
    .subscribe(({ data: event }) => received.push(event?.alertRaised.id ?? ""));
  const sent: string[] = [];
  const recordOne = async () => {
    sent.push(crypto.randomUUID());
    const input = [
      { id: sent.at(-1), cameraId: camera?.id, name: "APOLLO", createdAt: new Date().toISOString() },
    ];
    await client.mutate({ mutation: record, variables: { input } });
  };

  await eventually(recordOne, () => received.length > 0);
  expect(sent).toContain(received[0]);

  // Another client renames the facility while this one is away.
  const rename = 'mutation ($id: UUID!) { renameFacility(id: $id, name: "Renamed") { id } }';
  await snippets.ask(rename, { id: camera?.facilityId });
  sockets[0]?.terminate();
  await expect
    .poll(() => query.getCurrentResult().data?.facilities?.map((each) => each?.name))
    .toContain("Renamed");
  received.length = 0;
  await eventually(recordOne, () => received.length > 0);
  subscription.unsubscribe();
  watching.unsubscribe();
  client.stop();
  await live.dispose();
});
