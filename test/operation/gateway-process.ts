import { addressOf, gatewaySettings, type RunningCommand, startCommand } from "../support/running-command.js";
import { TestSite } from "../support/test-site.js";
import { SlowClient } from "../uploads/slow-client.js";

/** A gateway as a process until the end of the running test. */
export async function startGatewayProcess(variables: Record<string, string>) {
  const gateway = startCommand("main", { environment: gatewaySettings(variables) });
  return { gateway, address: await addressOf(gateway) };
}

/** A gateway in this process, and its data, until the end of the running test. */
export async function runningSite() {
  const site = await TestSite.forTest();
  const gateway = await site.start();
  onTestFinished(() => gateway.close());
  return { site, gateway };
}

/**
 * Stops a gateway by a signal while a request is pending, which has its connection close.
 */
export async function expectToFinish(
  { gateway, address }: { gateway: RunningCommand; address: string },
  signal: NodeJS.Signals,
  whilePending: () => Promise<void> = async () => {},
): Promise<void> {
  const client = await SlowClient.connect(address);
  const body = JSON.stringify({ query: "{ __typename }" });
  const headers = {
    "content-type": "application/json",
    "content-length": body.length,
    expect: "100-continue",
  };
  await client.sendHead({ method: "POST", path: "/graphql", headers });
  // The server has begun to handle the request.
  expect(await client.response()).toMatchObject({ status: 100 });
  await client.send(body.slice(0, -1));
  gateway.signal(signal);
  await gateway.said(/shutting down/);
  await whilePending();
  await client.send(body.slice(-1));
  expect(await client.response()).toMatchObject({
    status: 200,
    headers: { connection: "close" },
    text: '{"data":{"__typename":"Query"}}\n',
  });
  expect(await gateway.ended).toMatchObject({ code: 0, errors: "" });
}
