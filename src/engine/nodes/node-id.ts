/** What a node id names. The id of an alert is unique in its workspace alone. */
export interface NodeKey {
  type: string;
  workspaceId: string;
  id: string;
}

const bytesPerUuid = 16;
const bytesOf = (uuid: string) => Buffer.from(uuid.replaceAll("-", ""), "hex");
const uuidOf = (bytes: Buffer) => bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");

/** The node id of an object: an opaque text of letters, digits, `-` and `_` that never changes. */
export function encodeNodeId({ type, workspaceId, id }: NodeKey): string {
  return Buffer.concat([Buffer.from(`${type}:`), bytesOf(workspaceId), bytesOf(id)]).toString("base64url");
}

const maxLength = 200;

/** The key in a node id of any type; undefined if the text is not a node id. */
export function decodeNodeId(text: string): NodeKey | undefined {
  if (text.length > maxLength) return undefined;
  const bytes = Buffer.from(text, "base64url");
  const [, type] = /^([A-Z][A-Za-z]*):$/.exec(bytes.subarray(0, -2 * bytesPerUuid).toString("latin1")) ?? [];
  if (type === undefined) return undefined;
  const key = {
    type,
    workspaceId: uuidOf(bytes.subarray(-2 * bytesPerUuid, -bytesPerUuid)),
    id: uuidOf(bytes.subarray(-bytesPerUuid)),
  };
  // Base64 decoders ignore stray characters: only the exact text of a node id is accepted.
  return encodeNodeId(key) === text ? key : undefined;
}
