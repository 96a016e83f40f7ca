import { alertTools } from "./alert-tools.js";
import { fleetTools } from "./fleet-tools.js";
import type { Tool } from "./tool.js";
import { writingTools } from "./writing-tools.js";

/** All tools, in the order in which clients show them. */
export const tools: readonly Tool[] = [...fleetTools, ...alertTools, ...writingTools];
