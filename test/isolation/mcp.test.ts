// Runs once: both kinds of databases run the same statements.
// Takes long: it calls each tool as each caller.

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { tools } from "../../src/api/mcp/tools.js";
import { Assistant } from "../mcp/assistant.js";
import { argumentsOf, type ToolIds } from "../mcp/tool-cases.js";
import { ownGateway } from "../support/harness.js";
import { ownDirectory } from "../support/temporary-directory.js";
import { callerNames, createIsolationSite, HiddenContent, type MarkedFacility } from "./isolation-site.js";

/** Operations of an operator: objects by their ids, all that there is, and changes. */
const documents = {
  facility: "query Facility($facility_id: UUID!) { facility(id: $facility_id) { name cameras { id name } } }",
  camera: "query Camera($camera_id: UUID!) { camera(id: $camera_id) { name alertRules { id name } } }",
  alert:
    "query Alert($alert_id: UUID!) { alert(id: $alert_id) { name comments(first: 5) { nodes { text } } } }",
  everything:
    "query Everything { facilities { id name cameras { id name alerts(first: 5) { nodes { id } } } } }",
  comment: `mutation Comment($alert_id: UUID!) { commentAlert(id: $alert_id, text: "Seen") { id } }`,
  rename: `mutation Rename($facility_id: UUID!) { renameFacility(id: $facility_id, name: "Renamed") { id name } }`,
};

const hiddenContent = new HiddenContent();
const now = new Date();
const directory = await ownDirectory();
const file = path.join(directory, "known.json");
await writeFile(file, JSON.stringify(documents));
const gateway = await ownGateway({
  now: () => now,
  environment: { MCP_WRITE: "on", KNOWN_OPERATIONS: file },
});
const site = await createIsolationSite(gateway.prisma, "assistants");
await hiddenContent.read(gateway, Object.values(site.callers));

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

const operationCases = callerNames.flatMap((caller) =>
  Object.entries(documents).map(([id, document]) => [id, caller, document] as const),
);

it.each(operationCases)(
  "the operation %s shows %s nothing that is hidden",
  async (id, callerName, document) => {
    const caller = site.callers[callerName];
    const assistant = await Assistant.open(gateway, caller.as);
    const told = async (ids: ToolIds) => {
      const variables = Object.entries(ids).filter(([name]) => document.includes(`$${name}`));
      const given = { operation_id: id, variables: Object.fromEntries(variables) };
      return (await assistant.call("run_operation", given)).text;
    };
    const ofNothing = await told(never);
    expect(hiddenContent.in(ofNothing, caller)).toEqual([]);
    for (const hidden of caller.hidden) expect(await told(idsOf(hidden))).toBe(ofNothing);
  },
);
