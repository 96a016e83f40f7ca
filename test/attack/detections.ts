import { randomUUID } from "node:crypto";
import { idKinds, idOf } from "../bench/dataset-ids.js";
import { listOf } from "../support/list-of.js";
import type { Attack } from "./attack-case.js";
import { operation } from "./attack-requests.js";

const cameraId = idOf(idKinds.camera, 1);
const attributes = Object.fromEntries(listOf(12, (n) => [`a${n}`, n]));
/** A tree of as many nodes as one may have, each of which all objects satisfy. */
const group = {
  type: "GROUP",
  operator: "OR",
  cooldownSeconds: 0,
  children: listOf(99, () => ({
    type: "PERSON",
    objects: ["PERSON"],
    minSeconds: 0,
    attributes,
  })),
};
const object = (n: number) => ({ label: "person", box: { x: n, y: n, width: 9, height: 9 }, attributes });
const frame = (at: number, objects: number) => ({
  ...{ cameraId, at: new Date(at).toISOString(), width: 1280, height: 720 },
  objects: listOf(objects, (n) => ({ ...object(n), trackId: `${at} ${n}` })),
});

/** Attacks by rules and detections. */
export const detectionAttacks: Attack[] = [
  {
    name: "large-rules",
    description:
      "28 rules of 100 nodes on a camera, 2 calls with 25 frames of 200 objects, and trials of a rule",
    isShort: true,
    prepare: async (attacker) => {
      const authorization = await attacker.newUser();
      const fields = listOf(28, (n) => `a${n}: createAlertRule(cameraId: $id, input: $input) { id }`);
      const input = { name: `RULE_${randomUUID().slice(0, 8)}`, severity: "LOW", evaluated: true, group };
      const rules = operation(
        `mutation ($id: UUID!, $input: CreateAlertRuleInput!) { ${fields.join(" ")} }`,
        authorization,
        { id: cameraId, input },
      );
      const start = Date.now() - 3_600_000;
      const frames = (call: number) => listOf(25, (n) => frame(start + 1000 * (25 * call + n), 200));
      const calls = listOf(2, (call) => [
        operation(
          "mutation ($input: [DetectionFrameInput!]!) { recordDetections(input: $input) { processed } }",
          authorization,
          { input: frames(call) },
        ),
        operation(
          "mutation ($id: UUID!, $group: JSONObject!, $frames: [DetectionFrameInput!]!) { testAlertRule(cameraId: $id, group: $group, frames: $frames) { alerts { count } } }",
          authorization,
          { id: cameraId, group, frames: frames(call) },
        ),
      ]).flat();
      return async () => {
        const outcome = `${await attacker.sendAll([rules])}; ${await attacker.sendAll(calls, 4)}`;
        if (outcome !== "1 × 200; 4 × 200") throw new Error(`not all was answered: ${outcome}`);
        return outcome;
      };
    },
  },
];
