import type { Client } from "graphql-ws";
import { signToken } from "../../src/engine/access/jwt.js";
import { testSecrets } from "../support/environment.js";
import { eventually } from "../support/eventually.js";
import { documentSnippetsOfFile } from "./document-snippets.js";

const admin = { user: "demo|admin" };
const start = new Date();
const later = (seconds: number) => new Date(start.getTime() + seconds * 1000);
let clock = start;
const snippets = documentSnippetsOfFile({ now: () => clock });

test("a subscription of graphql-ws continues with a fresh token after its token has expired", async () => {
  const { live } = await snippets.load<{ live: Client }>("live.js");
  const { facilities } = await snippets.ask<{ facilities: { id: string }[] }>("{ facilities { id } }");
  const beat = () =>
    snippets.ask(
      "mutation ($id: UUID!) { recordHeartbeat(facilityId: $id) { id } }",
      facilities[0] as object,
    );
  const tokens: string[] = [];
  await snippets.takeTokensFrom(async () => {
    const token = await signToken(testSecrets.AUTH_JWT_SECRET, admin.user, 60, clock);
    tokens.push(token);
    return token;
  });
  const connections: boolean[] = [];
  live.on("connected", (_socket, _payload, isReconnection) => connections.push(isReconnection));
  const closures: number[] = [];
  live.on("closed", (event) => closures.push((event as CloseEvent).code));
  const received: unknown[] = [];
  const failures: unknown[] = [];
  const end = live.subscribe(
    { query: "subscription { facilityHeartbeat { id } }" },
    { next: ({ data }) => received.push(data), error: (error) => failures.push(error), complete: () => {} },
  );

  await eventually(beat, () => received.length > 0);
  clock = later(91);
  await expect.poll(() => connections).toEqual([false, true]);
  received.length = 0;
  await eventually(beat, () => received.length > 0);
  end();
  await live.dispose();

  expect(received[0]).toEqual({ facilityHeartbeat: { id: facilities[0]?.id } });
  expect(closures[0]).toBe(4403);
  expect(new Set(tokens).size).toBe(2);
  expect(failures).toEqual([]);
});
