import { createHash } from "node:crypto";
import { z } from "zod";
import { badRequest } from "../../platform/errors/errors.js";

const content = z.tuple([z.string(), z.string(), z.string()]);

/** Where an answer of a tool ended, for the next call: the tool, a digest of its other arguments, and a position. */
export function cursorOf(tool: string, given: object, position: string): string {
  return Buffer.from(JSON.stringify([tool, digestOf(given), position])).toString("base64url");
}

/** The position in a cursor. BAD_REQUEST if it is of another tool or other arguments. */
export function positionIn(cursor: string, tool: string, given: object): string {
  const [ofTool, digest, position] = contentOf(cursor);
  if (ofTool === undefined || position === undefined)
    throw refused("is not a cursor: pass next_cursor of an earlier answer unchanged, or leave it out");
  if (ofTool !== tool)
    throw refused(`continues an answer of another tool: leave it out, or pass next_cursor of ${tool}`);
  if (digest !== digestOf(given))
    throw refused("continues an answer to other arguments: repeat all of them, or leave the cursor out");
  return position;
}

function contentOf(cursor: string): z.infer<typeof content> | [] {
  try {
    return content.parse(JSON.parse(Buffer.from(cursor, "base64url").toString()));
  } catch {
    return [];
  }
}

const digestOf = (given: object): string =>
  createHash("sha256")
    .update(JSON.stringify(Object.entries(given).toSorted(([one], [other]) => (one < other ? -1 : 1))))
    .digest("base64url")
    .slice(0, 12);

const refused = (message: string) => badRequest([{ path: "cursor", message }]);
