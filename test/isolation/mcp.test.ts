// Runs once: both kinds of databases run the same statements.
import { afterAll, beforeAll, expect, it } from "vitest";
import { tools } from "../../src/mcp/tools.js";
import { Assistant } from "../mcp/assistant.js";
import { argumentsOf, type ToolIds } from "../mcp/tool-cases.js";
import { type Gateway, startGateway } from "../support/harness.js";
import {
  callerNames,
  createIsolationSite,
  HiddenContent,
  type IsolationSite,
  type MarkedFacility,
} from "./isolation-site.js";

let gateway: Gateway;
let site: IsolationSite;
const hiddenContent = new HiddenContent();
beforeAll(async () => {
  const now = new Date();
  gateway = await startGateway({ seed: "none", now: () => now, environment: { MCP_WRITE: "on" } });
  site = await createIsolationSite(gateway.prisma, "assistants");
  await hiddenContent.read(gateway, Object.values(site.callers));
});
afterAll(() => gateway.close());

const idsOf = ({ facilityId, cameraId, alertIds, ruleId }: MarkedFacility): ToolIds => ({
  facility_id: facilityId,
  camera_id: cameraId,
  alert_id: alertIds[0] as string,
  alert_rule_id: ruleId,
});

const never: ToolIds = {
  facility_id: "00000000-0000-4000-8000-000000000001",
  camera_id: "00000000-0000-4000-8000-000000000002",
  alert_id: "00000000-0000-4000-8000-000000000003",
  alert_rule_id: "00000000-0000-4000-8000-000000000004",
};

const cases = callerNames.flatMap((caller) => tools.map(({ name }) => [name, caller] as const));

it.each(cases)("%s shows %s nothing that is hidden, nor that it exists", async (name, callerName) => {
  const caller = site.callers[callerName];
  const assistant = await Assistant.open(gateway, caller.as);
  const told = async (ids: ToolIds) => {
    const answers: string[] = [];
    for (const given of argumentsOf(name, ids)) answers.push((await assistant.call(name, given)).text);
    return answers;
  };
  const ofNothing = await told(never);
  for (const hidden of caller.hidden) {
    const answers = await told(idsOf(hidden));
    expect(answers).toEqual(ofNothing);
    expect(hiddenContent.in(answers.join("\n"), caller)).toEqual([]);
  }
});
