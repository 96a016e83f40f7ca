// Runs once: both kinds of databases run the same statements.
// Takes long: it makes a workspace for each mutation.
import { ownGateway } from "../support/harness.js";
import { callOf, mutations, senderOf, unansweredMessages } from "../support/mutation-calls.js";
import { createTestWorkspace, tablesOf } from "../support/test-workspace.js";

let time = Date.now();
const gateway = await ownGateway({ now: () => new Date(time), environment: unansweredMessages });

/** The tables that a request must not change. The dispatcher also writes the others. */
async function written(): Promise<Record<string, unknown>> {
  await gateway.app.idle();
  const {
    Delivery: _sent,
    DeliveryQueue: _queues,
    DeliveryTarget: _targets,
    MessageCount: _counted,
    ...tables
  } = await tablesOf(gateway);
  return tables;
}

// Only callers have keys: the feed server's reports may be repeated anyway.
const ofCallers = mutations.filter((name) => !name.startsWith("recordStream"));

it.each(ofCallers)("a repeated request returns the first result, and writes nothing: %s", async (name) => {
  const workspace = await createTestWorkspace(gateway.prisma);
  const [query, variables] = await callOf(gateway.prisma, name, workspace);
  const send = () =>
    gateway.graphql(query, {
      ...{ as: senderOf(name, workspace), variables },
      headers: { "idempotency-key": name },
    });
  const first = await send();
  expect(first.errors).toBeUndefined();
  const before = await written();
  // The time moves on between the two requests.
  time += 1000;
  const second = await send();
  expect(second.errors).toBeUndefined();
  expect(second.data).toEqual(first.data);
  expect(await written()).toEqual(before);
});
