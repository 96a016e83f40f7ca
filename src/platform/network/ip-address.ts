import { isIP, isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";

/** Longer than any IPv6 address, even with a zone. */
const maxLength = 64;

/** The shortest form of an IP address; IPv4 addresses mapped into IPv6 become IPv4. Undefined for any other text. */
export function parseAddress(text: string | undefined): string | undefined {
  if (text === undefined || text.length > maxLength) return undefined;
  if (isIPv4(text)) return text;
  return isIP(text) ? ipaddr.process(text).toString() : undefined;
}

/** The network that stands for a client in counts: an IPv4 address, or a /64 network of IPv6, which one may own. */
export function networkOf(address: string): string {
  if (isIPv4(address)) return address;
  const parsed = isIP(address) ? ipaddr.process(address) : undefined;
  if (!(parsed instanceof ipaddr.IPv6)) return parsed?.toString() ?? address;
  return `${new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0])}/64`;
}

/** The network whose addresses a client may easily have one after the other: a /24 or /64. */
export const subnetOf = (address: string): string =>
  isIPv4(address) ? address.replace(/\d+$/, "0/24") : networkOf(address);

const localRanges = ["loopback", "private", "uniqueLocal", "linkLocal"];

/** Whether an address belongs to this machine or to a private network. */
export function isLocal(address: string): boolean {
  return isIP(address) !== 0 && localRanges.includes(ipaddr.process(address).range());
}

/** Whether a text is a network in CIDR notation, such as 10.0.0.0/8. */
export const isNetwork = (text: string): boolean => ipaddr.isValidCIDR(text);
