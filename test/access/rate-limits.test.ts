// Runs once: no database can influence what is tested here.
import { sendRaw } from "../http/raw-request.js";
import { createApiKey, createUser, createWorkspace } from "../support/factories.js";
import { authorizationOf, gatewayForTest, ownGateway, type Sender } from "../support/harness.js";
import { SlowClient } from "../uploads/slow-client.js";

const limits = { RATE_LIMIT: "on", RATE_LIMIT_CALLER: "3", RATE_LIMIT_ADDRESS: "2" };

// Trusts a proxy so that each test can use its own address.
const gateway = await ownGateway({ environment: { ...limits, TRUST_PROXY: "1" } });
const workspaceId = await createWorkspace(gateway.prisma);

const send = async (as: Sender, address: string, at = gateway) => {
  const body = JSON.stringify({ query: "{ workspace { id } }" });
  const headers = { "content-type": "application/json", "x-forwarded-for": address };
  const response = await at.fetch("/graphql", { method: "POST", as, headers, body });
  const { errors } = (await response.json()) as { errors?: { extensions: { code: string } }[] };
  return {
    status: response.status,
    code: errors?.[0]?.extensions.code,
    retryAfter: response.headers.get("retry-after"),
  };
};

const refusal = {
  status: 429,
  code: "RATE_LIMITED",
  retryAfter: expect.stringMatching(/^([1-9]|[1-5]\d|60)$/),
};

/** Sends requests one after another and returns their statuses. */
async function statuses(count: number, as: Sender, address: string, at = gateway): Promise<number[]> {
  const statusCodes: number[] = [];
  for (let sent = 0; sent < count; sent += 1) statusCodes.push((await send(as, address, at)).status);
  return statusCodes;
}

const user = async (authId: string): Promise<Sender> => {
  await createUser(gateway.prisma, { workspaceId, authId });
  return { user: authId };
};
const key = async (): Promise<Sender> => {
  const { authorization } = await createApiKey(gateway.prisma, {
    workspaceId,
    permissions: ["facilities:read"],
  });
  return { authorization };
};

it.each<[string, () => Promise<Sender>]>([
  ["user", () => user("limits|busy")],
  ["API key", key],
])(
  "returns 429 for a %s over the limit but not for another caller at the same address",
  async (_kind, caller) => {
    const busy = await caller();
    expect(await statuses(3, busy, "192.0.2.1")).toEqual([200, 200, 200]);
    expect(await send(busy, "192.0.2.1")).toEqual(refusal);
    expect(await statuses(1, await key(), "192.0.2.1")).toEqual([200]);
  },
);

it("counts a caller across addresses", async () => {
  const caller = await user("limits|moving");
  expect(await statuses(3, caller, "192.0.2.2")).toEqual([200, 200, 200]);
  expect((await send(caller, "192.0.2.3")).status).toBe(429);
});

it.each<[string, Sender, string]>([
  ["without credentials", "nobody", "192.0.2.10"],
  ["with a token of an unknown user", { user: "limits|unknown" }, "192.0.2.11"],
  ["with an invalid key", { authorization: "Basic garbage" }, "192.0.2.13"],
])("returns 429 instead of 401 for an address over the limit %s", async (_case, sender, address) => {
  expect(await statuses(2, sender, address)).toEqual([401, 401]);
  expect(await send(sender, address)).toEqual(refusal);
});

it("counts all kinds of failures together, separately per address", async () => {
  expect(await statuses(1, "nobody", "192.0.2.20")).toEqual([401]);
  expect(await statuses(1, { authorization: "Bearer garbage" }, "192.0.2.20")).toEqual([401]);
  expect(await statuses(1, { authorization: "Basic garbage" }, "192.0.2.20")).toEqual([429]);
  expect(await statuses(1, "nobody", "192.0.2.21")).toEqual([401]);
});

it("accepts valid credentials from an address over its limit, and does not count them", async () => {
  expect(await statuses(3, "nobody", "192.0.2.30")).toEqual([401, 401, 429]);
  expect(await statuses(3, await user("limits|good"), "192.0.2.30")).toEqual([200, 200, 200]);
  expect(await statuses(3, await key(), "192.0.2.31")).toEqual([200, 200, 200]);
  expect(await statuses(1, "nobody", "192.0.2.31")).toEqual([401]);
});

it("counts anonymous introspection against the address only", async () => {
  const caller = await user("limits|schema");
  const body = JSON.stringify({ query: "{ __typename }" });
  const headers = { "content-type": "application/json", "x-forwarded-for": "192.0.2.40" };
  const introspect = async () => (await gateway.fetch("/graphql", { method: "POST", headers, body })).status;
  expect([await introspect(), await introspect(), await introspect()]).toEqual([200, 200, 429]);
  expect(await statuses(1, caller, "192.0.2.40")).toEqual([200]);
});

it.each<[string, () => Promise<Sender>, string]>([
  ["without credentials", async () => "nobody", "192.0.2.41"],
  ["with credentials, which are ignored", () => user("limits|reporter"), "192.0.2.42"],
])("counts feed server reports by GraphQL against the address %s", async (_case, sender, address) => {
  const mutation = `mutation { recordStreamThumbnail(requestId: "00000000-0000-4000-8000-000000000000", input: { url: "https://x" }) { id } }`;
  const headers = { "content-type": "application/json", "x-forwarded-for": address };
  const as = await sender();
  const report = async () =>
    (
      await gateway.fetch("/graphql", {
        method: "POST",
        as,
        headers,
        body: JSON.stringify({ query: mutation }),
      })
    ).status;
  expect([await report(), await report(), await report()]).toEqual([200, 200, 429]);
});

it("counts a mutation once against its caller", async () => {
  const as = await user("limits|writer");
  const heartbeat = 'mutation { recordHeartbeat(facilityId: "00000000-0000-4000-8000-000000000000") { id } }';
  const write = async () =>
    (await gateway.graphql(heartbeat, { as })).errors?.map(({ extensions }) => extensions.code);
  expect([await write(), await write(), await write(), await write()]).toEqual([
    ["NOT_FOUND"],
    ["NOT_FOUND"],
    ["NOT_FOUND"],
    ["RATE_LIMITED"],
  ]);
});

it("refuses a request over the limit before its body is sent", async () => {
  const busy = await user("limits|large");
  await statuses(3, busy, "192.0.2.45");
  await statuses(2, "nobody", "192.0.2.45");
  for (const authorization of [await authorizationOf(busy), undefined, "Bearer garbage"]) {
    const client = await SlowClient.connect(gateway.url);
    const headers = {
      "content-type": "application/json",
      "content-length": 1000,
      "x-forwarded-for": "192.0.2.45",
      ...(authorization && { authorization }),
    };
    await client.sendHead({ method: "POST", path: "/graphql", headers });
    expect(await client.response()).toMatchObject({ status: 429 });
  }
});

it.each<[string, string, string, string]>([
  ["an IPv4 address and the same mapped into IPv6", "192.0.2.70", "::ffff:192.0.2.70", "192.0.2.71"],
  ["the addresses of a /64 network of IPv6", "2001:db8:1:2::1", "2001:DB8:1:2:ffff::9", "2001:db8:1:3::1"],
])("counts %s together", async (_what, one, same, other) => {
  expect([...(await statuses(1, "nobody", one)), ...(await statuses(2, "nobody", same))]).toEqual([
    401, 401, 429,
  ]);
  expect(await statuses(1, "nobody", other)).toEqual([401]);
});

it("counts invalid addresses against the connection's address", async () => {
  expect(await statuses(1, "nobody", "unknown")).toEqual([401]);
  expect(await statuses(1, "nobody", "x".repeat(60_000))).toEqual([401]);
  expect(await statuses(1, "nobody", "192.0.2.999")).toEqual([429]);
});

describe("public paths", () => {
  const request = async (
    address: string,
    path: string,
    { headers = {}, ...options }: { method?: string; headers?: Record<string, string> } = {},
  ) =>
    (await sendRaw(gateway.url, { path, headers: { "x-forwarded-for": address, ...headers }, ...options }))
      .status;
  const html = { accept: "text/html" };
  const paths: [path: string, status: number, options?: Parameters<typeof request>[2]][] = [
    ["/healthz", 200],
    ["/docs", 200],
    ["/openapi.json", 200],
    ["/graphql", 200, { headers: html }],
    ["/graphql/assets/none.js", 404],
    ["/files/alerts/picture.jpg?expires=1&signature=x", 404],
    ["/cameras/thumbnail/00000000-0000-4000-8000-000000000000", 400, { method: "POST" }],
    ["/no/such/path", 404],
  ];
  it.each(
    paths.map(([path, status, options], index) => [path, status, options, `198.51.100.${index}`] as const),
  )("count against the address: %s (%i)", async (path, status, options, address) => {
    // A path that does not exist may be counted twice.
    const received = [
      await request(address, path, options),
      await request(address, path, options),
      await request(address, path, options),
    ];
    expect(received[0]).toBe(status);
    expect(received[2]).toBe(429);
  });

  it.each([
    ["/healthz", "198.51.100.20"],
    ["/cameras", "198.51.100.21"],
  ])("count with a method that they do not have: DELETE %s", async (path, address) => {
    const wrong = () => request(address, path, { method: "DELETE" });
    expect([await wrong(), await wrong(), await request(address, "/docs"), await wrong()]).toEqual([
      405, 405, 429, 405,
    ]);
  });

  it.each(["/healthz", "/readyz", "/metrics"])(
    "do not count for probes of private networks: %s",
    async (path) => {
      for (const address of ["10.0.0.7", "fd00::7", "127.0.0.1"]) {
        expect([
          await request(address, path),
          await request(address, path),
          await request(address, path),
        ]).toEqual([200, 200, 200]);
      }
    },
  );

  it("count for everything else of private networks", async () => {
    expect([
      await request("10.0.0.8", "/docs"),
      await request("10.0.0.8", "/docs"),
      await request("10.0.0.8", "/docs"),
    ]).toEqual([200, 200, 429]);
  });
});

it("limits nothing when disabled", async () => {
  const unlimited = await gatewayForTest({ environment: { ...limits, RATE_LIMIT: "off" } });
  expect(await statuses(5, "nobody", "192.0.2.60", unlimited)).toEqual(Array(5).fill(401));
});
