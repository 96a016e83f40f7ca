// Runs once: no database can influence what is tested here.
import { type Permission, permissions } from "../../src/engine/access/permissions.js";
import { createApiKey, createFacility, createTestUser, createWorkspace } from "../support/factories.js";
import { formOf, uploadRequest } from "../support/forms.js";
import { type Gateway, type Sender, sharedGateway } from "../support/harness.js";
import { plainPng } from "../support/png.js";
import { caseOf, initOf, requestOf } from "../support/route-cases.js";

const strict = await sharedGateway({ environment: { STRICT_PERMISSIONS: "on" } });
const usual = await sharedGateway();

const byGraphql = (query: string, facilityId: string): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ query, variables: { id: facilityId } }),
});

/** A write by both APIs. `needs` is its permission in the strict reading. */
const writes: {
  name: string;
  needs: Permission;
  usuallyNeeds?: Permission;
  /** The number of its endpoint. */
  endpoint: number;
  graphql: (facilityId: string) => RequestInit;
}[] = [
  {
    name: "createCamera",
    needs: "cameras:write",
    endpoint: 14,
    graphql: (id) =>
      byGraphql(
        'mutation ($id: UUID!) { createCamera(facilityId: $id, input: { name: "New", url: "rtsp://camera.example/1", streamType: DIRECT }) { requestId } }',
        id,
      ),
  },
  {
    name: "createClientCamera",
    needs: "cameras:write",
    endpoint: 15,
    graphql: (id) =>
      uploadRequest({
        query:
          'mutation ($id: UUID!, $image: Upload!) { createClientCamera(facilityId: $id, input: { name: "New", image: $image }) { id } }',
        variables: { id },
        file: plainPng(),
        variable: "image",
      }),
  },
  {
    name: "renameFacility",
    needs: "facilities:write",
    usuallyNeeds: "facilities:read",
    endpoint: 25,
    graphql: (id) => byGraphql('mutation ($id: UUID!) { renameFacility(id: $id, name: "New") { id } }', id),
  },
  {
    name: "recordHeartbeat",
    needs: "cameras:write",
    endpoint: 28,
    graphql: (id) => byGraphql("mutation ($id: UUID!) { recordHeartbeat(facilityId: $id) { id } }", id),
  },
];

interface Answer {
  status: number;
  error?: { code: string; message: string };
}

describe.each(writes)("$name", ({ needs, usuallyNeeds, endpoint, graphql }) => {
  /** Sends the write by both APIs as an API key and as a user with these permissions. */
  async function answers(gateway: Gateway, held: readonly Permission[]): Promise<Answer[]> {
    const { prisma } = gateway;
    const workspaceId = await createWorkspace(prisma);
    const facilityId = await createFacility(prisma, { workspaceId });
    const key = await createApiKey(prisma, {
      workspaceId,
      permissions: [...held],
      facilityIds: [facilityId],
    });
    const user = await createTestUser(prisma, { workspaceId, at: { [facilityId]: [...held] } });
    const each = caseOf(endpoint);
    const send = async (target: string, init: RequestInit, as: Sender): Promise<Answer> => {
      const response = await gateway.fetch(target, { ...init, as });
      const { code, message, errors } = (await response.json()) as {
        code?: string;
        message: string;
        errors?: { message: string; extensions: { code: string } }[];
      };
      const [failure] = errors ?? [];
      if (failure) return { status: 403, error: { code: failure.extensions.code, message: failure.message } };
      return response.ok
        ? { status: 200 }
        : { status: response.status, error: { code: code ?? "", message } };
    };
    return [
      await send(requestOf(each, { facilityId }), initOf(each), key),
      await send("/graphql", graphql(facilityId), key),
      await send("/graphql", graphql(facilityId), user.as),
    ];
  }
  const others = permissions.filter((each) => each !== needs);
  const allowed = { status: 200 };

  it("requires the permission with STRICT_PERMISSIONS=on, by REST and GraphQL", async () => {
    const refused = {
      status: 403,
      error: { code: "FORBIDDEN", message: `This needs the permission ${needs} at the facility` },
    };
    expect(await answers(strict, others)).toEqual([refused, refused, refused]);
    expect(await answers(strict, [needs])).toEqual([allowed, allowed, allowed]);
  });

  it("requires what the specification says otherwise", async () => {
    const held = usuallyNeeds ?? "alerts:read";
    expect(await answers(usual, [held])).toEqual([allowed, allowed, allowed]);
  });
});

it("refuses an upload before its body is read", async () => {
  const workspaceId = await createWorkspace(strict.prisma);
  const facilityId = await createFacility(strict.prisma, { workspaceId });
  const as = await createApiKey(strict.prisma, { workspaceId, permissions: ["alerts:read"] });
  const response = await strict.fetch(`/facilities/${facilityId}/client_cameras`, {
    method: "POST",
    as,
    body: formOf({ cameraName: "" }),
  });
  expect(response.status).toBe(403);
});
