// Needs no gateway.

import { once } from "node:events";
import { connect, createServer } from "node:net";
import {
  NetworkAddresses,
  type NetworkAddressesOptions,
} from "../../src/platform/network/network-addresses.js";
import { listenForTest } from "../support/listening.js";
import { nameServer } from "../support/name-server.js";

const dns: NetworkAddressesOptions = { resolver: "dns" };
const system: NetworkAddressesOptions = { resolver: "system" };

describe.each([dns, system])("with names resolved as %o", (options) => {
  const closed = new NetworkAddresses([], options);

  it.each([
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "127.0.0.1",
    "0.0.0.0",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "240.0.0.1",
    "fe80::1",
    "fe80::1%lo",
    "fd00::1",
    "ff02::1",
    "::",
    "::1",
    "::ffff:10.0.0.1",
    "::ffff:7f00:1",
    "64:ff9b::a00:1",
    "64:ff9b:1::a00:1",
    "2002:a00:1::",
    "2001:db8::1",
    "fec0::1",
    "100::1",
    "::7f00:1",
    "4000::1",
  ])("%s is refused, as it is not public", (address) => {
    expect(closed.isAllowed(address)).toBe(false);
    expect(() => closed.assertHost(address)).toThrow("is not a public address");
    expect(() => closed.assertHost(`[${address}]`)).toThrow("is not a public address");
  });

  it("public addresses are allowed, and addresses in the operator's allowed networks", () => {
    const addresses = new NetworkAddresses(["10.0.0.0/8", "fd00::/8"], options);
    const allowed = [
      "93.184.216.34",
      "2606:2800:220:1::1",
      "64:ff9b::5db8:d822",
      "10.1.2.3",
      "::ffff:10.1.2.3",
      "fd00::1",
    ];
    expect(allowed.filter((address) => !addresses.isAllowed(address))).toEqual([]);
    expect(addresses.isAllowed("192.168.0.1")).toBe(false);
  });

  it("public addresses are refused where only the operator's networks are allowed", () => {
    const addresses = new NetworkAddresses(["10.0.0.0/8"], { ...options, allowsPublic: false });
    const asked = ["10.1.2.3", "93.184.216.34", "2606:2800:220:1::1", "192.168.0.1"];
    expect(asked.filter((address) => addresses.isAllowed(address))).toEqual(["10.1.2.3"]);
  });
});

/** The outcome of a connection to a port of this machine. */
async function connectTo(host: string, addresses: NetworkAddresses): Promise<string> {
  const port = await listenForTest(createServer((socket) => socket.end()));
  const socket = connect({ host, port, lookup: addresses.lookup });
  const failure = once(socket, "error").then(([error]) => error.name as string);
  const outcome = await Promise.race([once(socket, "connect").then(() => "connected"), failure]);
  socket.destroy();
  return outcome;
}

describe("the system's resolver", () => {
  it("knows the names of the hosts file, but no address that is forbidden is connected to", async () => {
    expect(await connectTo("localhost", new NetworkAddresses(["127.0.0.0/8"], system))).toBe("connected");
    expect(await connectTo("localhost", new NetworkAddresses([], system))).toBe("AddressNotAllowed");
  });

  it.each(["2130706433", "0x7f.1", "0177.0.0.1", "127.1", "0"])(
    "reads %s as an address of this machine, which is refused",
    async (spelling) =>
      expect(await connectTo(spelling, new NetworkAddresses([], system))).toBe("AddressNotAllowed"),
  );
});

it("a connection looks its name up once, and goes to no address that was not checked", async () => {
  let asked = 0;
  const nameServers = [await nameServer(() => (asked++ === 0 ? "127.0.0.1" : "127.0.0.2"))];
  const addresses = new NetworkAddresses(["127.0.0.1/32"], { resolver: "dns", nameServers });
  expect(await connectTo("camera.example", addresses)).toBe("connected");
  expect(asked).toBe(1);
  expect(await connectTo("camera.example", addresses)).toBe("AddressNotAllowed");
});
