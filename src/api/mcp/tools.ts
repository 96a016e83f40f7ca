import { alertTools } from "./alert-tools.js";
import { fleetTools } from "./fleet-tools.js";
import type { FixedTool } from "./tool.js";
import { writingTools } from "./writing-tools.js";

/** The tools of every gateway, in the order in which clients show them. */
export const tools: readonly FixedTool[] = [...fleetTools, ...alertTools, ...writingTools];
