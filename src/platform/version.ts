import { readFileSync } from "node:fs";
import { projectFile } from "./project-files.js";
import { memberIn } from "./record.js";

export const version = String(
  memberIn(JSON.parse(readFileSync(projectFile("package.json"), "utf8")), "version"),
);
