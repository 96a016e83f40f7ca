import type { LookupAddress } from "node:dns";
import { Resolver } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

/**
 * Why a connection was refused: nothing that a user names may lead into the network of
 * the operator.
 */
export class AddressNotAllowed extends Error {
  override readonly name = "AddressNotAllowed";
}

/**
 * The addresses to which messages may be sent: public unicast addresses, and those of the
 * networks that the operator allows.
 */
export class TargetAddresses {
  readonly #allowed: readonly Network[];
  readonly #resolver: Resolver;

  /** Networks are in CIDR notation, such as 10.0.0.0/8. */
  constructor(allowedNetworks: readonly string[] = [], nameServers?: readonly string[]) {
    this.#allowed = allowedNetworks.map((network) => ipaddr.parseCIDR(network));
    // Asks name servers itself: the system's resolver takes a thread of few for as long
    // as a server is silent.
    this.#resolver = new Resolver({ timeout: 2_000, tries: 2 });
    if (nameServers) this.#resolver.setServers(nameServers);
  }

  /** Whether messages may be sent to an address, in any of its forms. */
  isAllowed(address: string): boolean {
    if (isIP(address) === 0) return false;
    const parsed = embedded(ipaddr.process(address));
    const isOf = ([network, bits]: Network) =>
      network.kind() === parsed.kind() && parsed.match(network as ipaddr.IPv4, bits);
    return isPublic(parsed) || this.#allowed.some(isOf);
  }

  /**
   * Resolves the host of a connection, so that the address that is checked is the one
   * that is connected to: a name may lead elsewhere the next time. Addresses are not
   * resolved: check them with {@link assertHost}.
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

  /** Fails if the host of a URL is an address that is not allowed. */
  assertHost(hostname: string): void {
    const host = hostname.replace(/^\[(.*)\]$/, "$1");
    if (isIP(host) !== 0 && !this.isAllowed(host))
      throw new AddressNotAllowed(`${host} is not a public address`);
  }

  /** The addresses of a name, those of IPv4 first; fails if it has none. */
  async #resolve(hostname: string, family: number | string | undefined): Promise<LookupAddress[]> {
    const isWanted = (each: 4 | 6) => !family || family === each || family === `IPv${each}`;
    // By definition, and not known to name servers.
    if (/^(?:.*\.)?localhost\.?$/i.test(hostname)) return [{ address: "127.0.0.1", family: 4 }];
    const answers = await Promise.allSettled([
      isWanted(4) ? this.#resolver.resolve4(hostname) : [],
      isWanted(6) ? this.#resolver.resolve6(hostname) : [],
    ]);
    const found = answers.flatMap((answer, index) =>
      answer.status === "fulfilled"
        ? answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 }))
        : [],
    );
    const [failure] = answers.filter((answer) => answer.status === "rejected");
    if (found.length === 0 && failure) throw failure.reason;
    return found;
  }
}

/** Of IPv6, addresses are assigned to the public from one network alone. */
const assigned = ipaddr.IPv6.parseCIDR("2000::/3");

const isPublic = (address: Address) =>
  address.range() === "unicast" && (address.kind() === "ipv4" || address.match(assigned as never));

/**
 * The IPv4 address to which a translator of the network (NAT64) passes on what is sent to
 * an IPv6 address; otherwise the address.
 */
function embedded(address: Address): Address {
  if (address.kind() === "ipv4") return address;
  const { parts } = address as ipaddr.IPv6;
  const [high, low] = parts.slice(6) as [number, number];
  const isTranslated = address.range() === "rfc6052" || address.range() === "rfc6145";
  return isTranslated ? new ipaddr.IPv4([high >> 8, high & 255, low >> 8, low & 255]) : address;
}
