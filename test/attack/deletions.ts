import { setTimeout as sleep } from "node:timers/promises";
import { idKinds, idOf } from "../bench/dataset-ids.js";
import type { Attack } from "./attack-case.js";
import { operation } from "./attack-requests.js";
import type { Attacker } from "./attacker.js";

const patienceMs = 30_000;
const facilityId = idOf(idKinds.facility, 2);
const left = `SELECT FROM "Facility" WHERE "id" = '${facilityId}'`;

/** Deletes the facility. */
async function deleteFacility(attacker: Attacker, authorization: string): Promise<void> {
  const answer = await attacker.send(
    operation(`mutation { deleteFacility(id: "${facilityId}") { id } }`, authorization),
  );
  if (!answer?.text.includes(`{"data":{"deleteFacility"`))
    throw new Error(`deleteFacility gets ${answer?.status}: ${answer?.text}`);
}

/** Attacks by deleting what has much. */
export const deletionAttacks: Attack[] = [
  {
    name: "deleted-facility",
    description: "A facility of 3,000 alerts is deleted, and all of it purged",
    isShort: true,
    prepare: async (attacker) => {
      const authorization = await attacker.newUser();
      return async () => {
        await deleteFacility(attacker, authorization);
        for (const deadline = Date.now() + patienceMs; (await attacker.target.sql(left)).length > 0; ) {
          if (Date.now() > deadline) throw new Error(`the facility is there after ${patienceMs / 1000} s`);
          await sleep(100);
        }
        return "purged";
      };
    },
  },
  {
    name: "deleted-facility-embedded",
    description: "A facility of 4,000 alerts is deleted, and purged from the embedded database",
    isShort: true,
    isEmbedded: true,
    prepare: async (attacker) => {
      const authorization = await attacker.newUser();
      return async () => {
        await deleteFacility(attacker, authorization);
        await sleep(5_000);
        return "probed for 5 s";
      };
    },
  },
];
