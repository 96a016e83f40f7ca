import type { StreamType } from "../../../generated/console.js";

/** How the stream of a new camera may be reached. */
export const streamTypes: readonly StreamType[] = ["DIRECT", "VPN", "PROXY", "ALTPROXY", "HOSTEDSERVER"];
