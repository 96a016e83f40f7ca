// Runs once: no database can influence what is tested here.
// Takes long: it starts connectors.
import { existsSync } from "node:fs";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { eventually } from "../support/eventually.js";
import { type Gateway, sharedGateway } from "../support/harness.js";
import { runCommand } from "../support/running-command.js";
import { FrigateSite } from "./frigate-site.js";

let gateway: Gateway;
let site: FrigateSite;
let frigate: FrigateSite["frigate"];
beforeEach(async () => {
  gateway = await sharedGateway();
  site = await FrigateSite.forTest(gateway);
  ({ frigate } = site);
});

describe("--check", () => {
  it("says what it has found, and writes nothing", async () => {
    frigate.cameras.shed = frigate.cameras.gate as never;
    const { code, output } = await site.run(["--check"]);
    expect(output).toMatch(/gateway +cameras: 2/);
    expect(output).toMatch(/broker +mqtt:.*frigate\/reviews, frigate\/events/);
    expect(output).toMatch(/frigate +http:.*version 0\.17\.1-416a9b7$/m);
    expect(output).toMatch(/frigate's cameras +door, gate; not known to the gateway: shed/);
    expect([code, existsSync(site.stateFile)]).toEqual([0, false]);
  });

  it.each<[string, (site: FrigateSite) => unknown, RegExp]>([
    [
      "a Frigate that is away",
      ({ frigate }) => (frigate.isAway = true),
      /frigate +FAILED: Frigate cannot be reached/,
    ],
    [
      "a login that is asked for",
      ({ frigate }) => (frigate.login = { user: "a", password: "b" }),
      /frigate +FAILED:.*set frigate\.username/,
    ],
    [
      "a Frigate that is too old",
      ({ frigate }) => (frigate.version = "0.13.2-abc"),
      /frigate +FAILED: Frigate 0\.13\.2-abc is too old/,
    ],
    [
      "other topics",
      ({ frigate }) => (frigate.topicPrefix = "home/frigate"),
      /topics +FAILED: Frigate publishes on home\/frigate/,
    ],
    ["no camera in common", ({ frigate }) => (frigate.cameras = {}), /cameras +FAILED: none is known/],
    ["a broker that is away", ({ frigate }) => frigate.broker.stop(), /broker +FAILED: .*ECONNREFUSED/],
  ])("fails for %s", async (_, spoil, message) => {
    await spoil(site);
    const { code, output } = await site.run(["--check"]);
    expect(output).toMatch(message);
    expect(code).toBe(1);
  });

  it("fails for a state file that could not be written", async () => {
    const directory = path.join(site.directory, "none");
    const { code, output } = await site.run(["--check"], { stateFile: path.join(directory, "state.json") });
    expect(output).toContain(`FAILED: the directory ${directory} cannot be written to: ENOENT`);
    expect(code).toBe(1);
  });
});

it("--dry-run prints what would be recorded, and neither records nor remembers it", async () => {
  await site.newRule("yard");
  await frigate.review({ id: "missed" });
  const connector = await site.start({}, ["--dry-run"]);
  await frigate.broker.isHeard();
  await frigate.review({ id: "heard" }, { zones: ["yard"] });
  await connector.said(/"heard"/);
  const { output } = await site.stop(connector);
  const printed = output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { name: string; info: { reviewId: string } });
  expect(printed.map(({ name, info }) => [info.reviewId, name]).sort()).toEqual([
    ["heard", "PERSON_IN_AREA"],
    ["missed", "PERSON"],
  ]);
  expect([await site.alerts(), existsSync(site.stateFile)]).toEqual([[], false]);
});

describe("the command line", () => {
  it.each([
    ["a word", "tomorrow"],
    ["a number", "5"],
    ["the future", "2100-01-01"],
  ])("refuses --since %s", async (_, since) => {
    const { code, errors } = await site.run(["--since", since]);
    expect([code, errors]).toEqual([
      1,
      expect.stringContaining(`--since ${since} is not a time of the past`),
    ]);
  });

  it("names all that is wrong with a configuration, in one message", async () => {
    const { code, errors } = await site.run([], {
      stateFile: undefined,
      frigate: {
        url: "frigate:5000",
        username: "viewer",
        topicPrefix: "frigate/#",
        pictureWaitSeconds: 1000,
      },
    });
    expect(code).toBe(1);
    for (const place of ["stateFile", "frigate.url", "frigate.topicPrefix", "frigate.pictureWaitSeconds"])
      expect(errors).toContain(`  ${place}: `);
  });

  it("has a schema that a configuration satisfies", async () => {
    const { output } = await runCommand("commands/connect-frigate", { parameters: ["--schema"] });
    const validate = new Ajv2020({ strict: false }).compile(JSON.parse(output));
    const configuration = {
      name: "site",
      gateway: { url: "https://gateway.example.com", apiKey: { file: "key" } },
      broker: { url: "mqtts://broker:8883", username: "u", password: { environment: "P" } },
      frigate: { url: "https://frigate:8971", username: "viewer", password: { file: "password" } },
      cameras: { door: "Entrance" },
      stateFile: "state.json",
    };
    expect([validate(configuration), validate.errors]).toEqual([true, null]);
    expect(validate({ ...configuration, frigate: {} })).toBe(false);
  });
});

it("counts what became of reviews, and messages that are not Frigate's", async () => {
  const connector = await site.connect({ metricsPort: 0 });
  const [, url = ""] = await connector.said(/Metrics are at (http:[^"]+)/);
  await frigate.broker.publish("frigate/reviews", "no JSON");
  await frigate.review({ camera: "nowhere" });
  await frigate.review();
  await site.alertsOnceThere(1);
  const metrics = await eventually(
    async () => (await fetch(url)).text(),
    (text) => text.includes('outcome="recorded"'),
  );
  expect(metrics).toContain('connector_frigate_reviews_total{outcome="recorded"} 1');
  expect(metrics).toContain('connector_frigate_reviews_total{outcome="unmapped"} 1');
  expect(metrics).toContain("connector_frigate_ignored_messages_total 1");
  expect(metrics).toMatch(/connector_frigate_settled_until_seconds 1\d{9}/);
});
