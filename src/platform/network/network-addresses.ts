import type { LookupAddress } from "node:dns";
import { lookup, Resolver } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

/** A connection was refused: no address that users choose may lead into the network of the operator. */
export class AddressNotAllowed extends Error {
  override readonly name = "AddressNotAllowed";
}

export interface NetworkAddressesOptions {
  /**
   * Who resolves names. `dns`: the name servers alone; the system's resolver would block one of a few threads while one
   * is silent. `system`: the system's resolver, which also knows its hosts file and names of the local network.
   */
  resolver: "dns" | "system";
  /** The name servers to ask; by default those of the system. For `dns`. */
  nameServers?: readonly string[];
  /** Whether public addresses are permitted, too; they are by default. */
  allowsPublic?: boolean;
  /** Ports of 127.0.0.1 that are the gateway's own, which the rules do not concern. */
  loopbackPorts?: readonly number[];
}

/** The longest that the system's resolver is waited for, in milliseconds. */
const maxLookupMs = 3_000;

/**
 * The addresses that connections to targets of users may use: public ones, and the networks that the operator allows.
 */
export class NetworkAddresses {
  readonly #allowed: readonly Network[];
  readonly #allowsPublic: boolean;
  readonly #loopbackPorts: readonly number[];
  /** Undefined if the system's resolver resolves names. */
  readonly #resolver: Resolver | undefined;

  /** Networks are in CIDR notation, such as 10.0.0.0/8. */
  constructor(
    allowedNetworks: readonly string[],
    { resolver, nameServers, allowsPublic = true, loopbackPorts = [] }: NetworkAddressesOptions,
  ) {
    this.#allowed = allowedNetworks.map((network) => ipaddr.parseCIDR(network));
    this.#allowsPublic = allowsPublic;
    this.#loopbackPorts = loopbackPorts;
    if (resolver === "system") return;
    this.#resolver = new Resolver({ timeout: 2_000, tries: 2 });
    if (nameServers) this.#resolver.setServers(nameServers);
  }

  /** Whether a connection may lead to an address, in any of its notations. */
  isAllowed(address: string): boolean {
    if (isIP(address) === 0) return false;
    const parsed = embedded(ipaddr.process(address));
    const isOf = ([network, bits]: Network) =>
      network.kind() === parsed.kind() && parsed.match(network, bits);
    return (this.#allowsPublic && isPublic(parsed)) || this.#allowed.some(isOf);
  }

  /**
   * Resolves the host of a connection, and checks the very address that the connection uses: the name may lead
   * elsewhere the next time. Node.js does not resolve addresses, so check these with {@link assertHost}.
   */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    this.#resolve(hostname, options.family).then(
      (found) => {
        const allowed = found.filter(({ address }) => this.isAllowed(address));
        const [first] = allowed;
        if (!first) callback(new AddressNotAllowed(`${hostname} has no public address`), "", 0);
        else if (options.all) callback(null, allowed);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, "", 0),
    );
  };

  /** Fails if the host of a URL is a forbidden address. */
  assertHost(hostname: string, port?: number): void {
    if (hostname === "127.0.0.1" && port !== undefined && this.#loopbackPorts.includes(port)) return;
    const host = hostname.replace(/^\[(.*)\]$/, "$1");
    if (isIP(host) !== 0 && !this.isAllowed(host))
      throw new AddressNotAllowed(`${host} is not a public address`);
  }

  #resolve(hostname: string, family: number | string | undefined): Promise<LookupAddress[]> {
    const families = ([4, 6] as const).filter(
      (each) => !family || family === each || family === `IPv${each}`,
    );
    return this.#resolver
      ? resolveByDns(this.#resolver, hostname, families)
      : resolveBySystem(hostname, families.length === 1 ? families[0] : 0);
  }
}

/** The addresses of a name, IPv4 first. */
async function resolveByDns(
  resolver: Resolver,
  hostname: string,
  families: readonly (4 | 6)[],
): Promise<LookupAddress[]> {
  // The definition of localhost. Name servers do not know it.
  if (/^(?:.*\.)?localhost\.?$/i.test(hostname)) return [{ address: "127.0.0.1", family: 4 }];
  const resolve = (family: 4 | 6) =>
    family === 4 ? resolver.resolve4(hostname) : resolver.resolve6(hostname);
  const answers = await Promise.allSettled(
    families.map(async (family) => (await resolve(family)).map((address) => ({ address, family }))),
  );
  const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  const [failure] = answers.filter((answer) => answer.status === "rejected");
  if (found.length === 0 && failure) throw failure.reason;
  return found;
}

/**
 * The addresses of a name in the system's order. A look-up of the system cannot be ended: after its time it is left.
 */
async function resolveBySystem(hostname: string, family: 0 | 4 | 6 | undefined): Promise<LookupAddress[]> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    const error = Object.assign(new Error(`${hostname} was not resolved in time`), { code: "ETIMEOUT" });
    timer = setTimeout(() => reject(error), maxLookupMs);
  });
  try {
    return await Promise.race([lookup(hostname, { all: true, family: family ?? 0 }), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** The only IPv6 network with public addresses. */
const assigned = ipaddr.IPv6.parseCIDR("2000::/3");

const isPublic = (address: Address) =>
  address.range() === "unicast" && (address.kind() === "ipv4" || address.match(assigned));

/**
 * The IPv4 address behind an IPv6 address that a network's translator (NAT64) forwards; otherwise the address itself.
 */
function embedded(address: Address): Address {
  if (!(address instanceof ipaddr.IPv6)) return address;
  const [high = 0, low = 0] = address.parts.slice(6);
  const isTranslated = address.range() === "rfc6052" || address.range() === "rfc6145";
  return isTranslated ? new ipaddr.IPv4([high >> 8, high & 255, low >> 8, low & 255]) : address;
}
