// Takes long: it starts processes.
import { readdir } from "node:fs/promises";
import { inject } from "vitest";
import { signInBy } from "../delivery/personal-mail-site.js";
import { createUser, createWorkspace } from "../support/factories.js";
import { dataForTest, gatewayOn } from "../support/harness.js";
import { requireResource } from "../support/resources.js";
import { addressOf, gatewaySettings, runCommand, startCommand } from "../support/running-command.js";
import { directoryForTest } from "../support/temporary-directory.js";
import { expectToFinish, runningSite, startGatewayProcess } from "./gateway-process.js";

const { server } = inject("resources");

// Making it may take longer than the test.
beforeAll(() => requireResource("demo"));

it("a gateway lets a pending request finish on SIGINT, restarts with the same data, does not mention its users in production, and exits with code 0 when stopped while idle", async () => {
  const variables = await dataForTest("demo");
  const locks = async () =>
    (await readdir(variables.DATA_DIR as string)).filter((name) => name.startsWith("lock"));
  const first = await startGatewayProcess({ ...variables, SEED: "demo" });
  expect(await locks()).toHaveLength(server ? 0 : 1);
  await expectToFinish(first, "SIGINT");
  expect(await locks()).toEqual([]);
  expect(first.gateway.output).toContain("npm run --silent token -- 'demo|admin'");
  const second = await startGatewayProcess({ ...variables, SEED: "demo", NODE_ENV: "production" });
  expect(second.gateway.output).not.toContain("demo|admin");
  expect(first.gateway.output + second.gateway.output).not.toMatch(/API key of the demo workspace/);
  const token = await runCommand("commands/token", {
    environment: gatewaySettings(variables),
    parameters: ["demo|admin"],
  });
  const headers = { "content-type": "application/json", authorization: `Bearer ${token.output.trim()}` };
  const body = JSON.stringify({
    query: "{ me { authId } workspace { cameras { name } alerts(first: 1) { totalCount } } }",
  });
  const response = await fetch(`${second.address}/graphql`, { method: "POST", headers, body });
  expect(await response.json()).toEqual({
    data: {
      me: { authId: "demo|admin" },
      workspace: { cameras: Array(24).fill({ name: expect.any(String) }), alerts: { totalCount: 20_000 } },
    },
  });
  second.gateway.signal("SIGTERM");
  expect(await second.gateway.ended).toMatchObject({ code: 0, errors: "" });
}, 90_000);

it.runIf(!server)(
  "a second process on the same DATA_DIR ends with a one-line error, and the first keeps running; of two that start immediately after a crash, one succeeds",
  async () => {
    const variables = await dataForTest();
    const { gateway, address } = await startGatewayProcess(variables);
    const { code, output, errors } = await runCommand("main", { environment: gatewaySettings(variables) });
    expect({ code, output }).toEqual({ code: 1, output: "" });
    expect(errors).toBe(
      `Another process is using ${variables.DATA_DIR}. Stop it first, or set DATA_DIR to another directory.\n`,
    );
    expect((await fetch(`${address}/readyz`)).status).toBe(200);
    expect(await gateway.kill()).toMatchObject({ code: null });
    const contenders = [1, 2].map(() => startCommand("main", { environment: gatewaySettings(variables) }));
    const outcomes = await Promise.all(
      contenders.map((contender) =>
        addressOf(contender).then(
          async (started) => `started: ${(await fetch(`${started}/readyz`)).status}`,
          (error: Error) => (/Another process is using/.test(error.message) ? "rejected" : error.message),
        ),
      ),
    );
    expect(outcomes.sort()).toEqual(["rejected", "started: 200"]);
  },
);

it("commands/sign-in prints a link that works once, beside the running gateway, given its database and LINK_SECRET alone", async () => {
  const { site, gateway } = await runningSite();
  const workspaceId = await createWorkspace(gateway.prisma);
  await createUser(gateway.prisma, { workspaceId, email: "ada@plant.example" });
  const { LINK_SECRET, DATABASE_URL, DATA_DIR } = gatewaySettings(site.variables);
  const { code, output, errors } = await runCommand("commands/sign-in", {
    environment: { LINK_SECRET, DATABASE_URL, DATA_DIR, PUBLIC_URL: "https://gateway.example" },
    parameters: ["Ada@plant.example"],
  });
  expect({ code, errors }).toEqual({ code: 0, errors: "" });
  expect(output).toMatch(/^https:\/\/gateway\.example\/#sign-in=[\w-]+\.[\w-]+\n$/);
  expect(await signInBy(gateway, output.trim())).toMatchObject({ me: { email: "ada@plant.example" } });
  expect(await signInBy(gateway, output.trim())).toBe("UNAUTHENTICATED");
});

it.runIf(!server)(
  "making the demo ends with a gateway that is killed meanwhile, and leaves nothing behind",
  async () => {
    const directory = await directoryForTest();
    const killed = startCommand("main", {
      environment: gatewaySettings({ DATA_DIR: directory, SEED: "demo" }),
    });
    await killed.said(/writing to the database/);
    // Returns when nobody can write to its output any more.
    await killed.kill();
    const next = await gatewayOn({ DATA_DIR: directory, SEED: "none" });
    onTestFinished(() => next.close());
    expect(next.app.demoUser).toBeUndefined();
  },
);
