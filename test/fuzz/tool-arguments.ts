import type { SeededRandom } from "../../src/programs/demo/seeded-random.js";
import { idFor, textFor, type World } from "./world.js";

/** The values of arguments that are neither ids nor texts. */
const values: Record<string, readonly unknown[]> = {
  period: [
    ...["last_night", "today", "yesterday", "this_week", "last_week"],
    ...["last_24_hours", "last_7_days", "last_30_days", "last_30_days", "never"],
  ],
  states: [["WORKING"], ["NO_STREAM", "PICTURE_OLD"], []],
  state: ["given_up", "waiting", "x"],
  open: [true, false],
  types: [["STATIC_DELIMITATION_AREA"], ["x"]],
  severities: [["HIGH", "LOW"]],
  group_by: [
    ["day"],
    ["day", "type"],
    ["day", "week"],
    ["hour_of_day", "camera", "alert_rule"],
    ["month", "severity"],
  ],
  minutes: [0, 10, 43_200, -1],
  cursor: ["", "W10", Buffer.from('["list_alerts","x","y"]').toString("base64url")],
};

/** A value for an argument of a tool: mostly a valid one. */
export function argumentFor(argument: string, random: SeededRandom, world: World): unknown {
  const known = values[argument];
  if (known) return random.pick(known);
  if (argument === "start" || argument === "end")
    return new Date(world.now.getTime() - random.integer(-1, 60) * 86_400_000).toISOString();
  const idName = argument
    .replace(/_ids?$/, "Id")
    .replace(/_([a-z])/g, (_all, letter) => letter.toUpperCase());
  if (argument.endsWith("_ids")) return [idFor(idName, random, world)];
  return argument.endsWith("_id") ? idFor(idName, random, world) : textFor(argument, random);
}
