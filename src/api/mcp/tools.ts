import { alertTools } from "./alert-tools.js";
import { fleetTools } from "./fleet-tools.js";
import type { FixedTool } from "./tool.js";
import { writingTools } from "./writing-tools.js";

export const tools: readonly FixedTool[] = [...fleetTools, ...alertTools, ...writingTools];
