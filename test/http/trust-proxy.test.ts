// Runs once: no database can influence what is tested here.
import { type Gateway, gatewayForTest } from "../support/harness.js";

/** A gateway that allows two unauthenticated requests per minute from one address. */
const strictGateway = (TRUST_PROXY?: string) =>
  gatewayForTest({ environment: { RATE_LIMIT: "on", RATE_LIMIT_ADDRESS: "2", TRUST_PROXY } });

/** Sends an unauthenticated request per `X-Forwarded-For` and returns their statuses. */
async function statusesOf(gateway: Gateway, forwarded: string[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const addresses of forwarded) {
    const { status } = await gateway.fetch("/graphql", {
      method: "POST",
      headers: { "content-type": "application/json", "x-forwarded-for": addresses },
      body: JSON.stringify({ query: "{ me { id } }" }),
    });
    statuses.push(status);
  }
  return statuses;
}

describe("the address used for rate limits", () => {
  it("is the connection's address, whatever a client claims, unless a proxy is trusted", async () => {
    const gateway = await strictGateway();
    expect(await statusesOf(gateway, ["198.51.100.1", "198.51.100.2", "198.51.100.3"])).toEqual([
      401, 401, 429,
    ]);
  });

  it.each(["1", "loopback", "127.0.0.1"])(
    "is the address that the trusted proxy reports, not the client's claim: TRUST_PROXY=%s",
    async (setting) => {
      const gateway = await strictGateway(setting);
      expect(
        await statusesOf(gateway, ["198.51.100.1", "198.51.100.1", "198.51.100.1", "198.51.100.2"]),
      ).toEqual([401, 401, 429, 401]);
      const claims = ["203.0.113.1, 198.51.100.3", "203.0.113.2, 198.51.100.3", "203.0.113.3, 198.51.100.3"];
      expect(await statusesOf(gateway, claims)).toEqual([401, 401, 429]);
    },
  );

  it("is the one that the outer of two proxies saw", async () => {
    const gateway = await strictGateway("2");
    const claims = [
      "203.0.113.9, 198.51.100.1, 10.0.0.1",
      "198.51.100.1, 10.0.0.2",
      "198.51.100.1, 10.0.0.3",
      "198.51.100.2, 10.0.0.3",
    ];
    expect(await statusesOf(gateway, claims)).toEqual([401, 401, 429, 401]);
  });
});
