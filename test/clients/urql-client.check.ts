import type { Client } from "@urql/core";
import type { Client as LiveClient } from "graphql-ws";
import { eventually } from "../support/eventually.js";
import { authorizationOf } from "../support/harness.js";
import { documentSnippetsOfFile } from "./document-snippets.js";

const snippets = documentSnippetsOfFile();

const bearer = async () =>
  ((await authorizationOf({ user: "demo|admin" })) as string).slice("Bearer ".length);

test("urql reports what the gateway refuses, and asks for another token when one is refused", async () => {
  const tokens = ["no longer valid", await bearer()];
  await snippets.takeTokensFrom(async () => tokens.shift() as string);
  const { client } = await snippets.load<{ client: Client }>("urql-client.js");
  const { data, error } = await client.query('{ me { authId } camera(id: "no id") { id } }', {}).toPromise();
  expect([data, error?.graphQLErrors.map(({ extensions }) => extensions.code)]).toEqual([
    undefined,
    ["GRAPHQL_VALIDATION_FAILED"],
  ]);
  expect(tokens).toEqual([]);
});

test("urql queries, mutates and subscribes with its default options", async () => {
  await snippets.takeTokensFrom(bearer);
  const { client } = await snippets.load<{ client: Client }>("urql-client.js");
  const { live } = await snippets.load<{ live: LiveClient }>("live.js");
  const list = () =>
    client
      .query<{ facilities: { id: string; name: string }[] }>("{ facilities { id name } }", {})
      .toPromise();
  const first = await list();
  expect(first.error).toBeUndefined();
  expect(first.data?.facilities).toHaveLength(4);
  const id = first.data?.facilities[0]?.id as string;

  const rename = await client
    .mutation('mutation ($id: UUID!) { renameFacility(id: $id, name: "Renamed") { id name } }', { id })
    .toPromise();
  expect(rename.data).toMatchObject({ renameFacility: { id, name: "Renamed" } });
  // The mutation has emptied the cached lists that hold the facility.
  expect((await list()).data?.facilities.map(({ name }) => name)).toContain("Renamed");

  const received: unknown[] = [];
  const { unsubscribe } = client
    .subscription("subscription { facilityHeartbeat { id } }", {})
    .subscribe(({ data }) => received.push(data));
  const beat = () =>
    client.mutation("mutation ($id: UUID!) { recordHeartbeat(facilityId: $id) { id } }", { id }).toPromise();
  await eventually(beat, () => received.length > 0);
  expect(received[0]).toMatchObject({ facilityHeartbeat: { id } });
  unsubscribe();
  await live.dispose();
});
