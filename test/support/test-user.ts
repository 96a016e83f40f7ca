import { randomUUID } from "node:crypto";
import { type Permission, permissions } from "../../src/access/permissions.js";
import type { PrismaClient } from "../../src/generated/prisma/client.js";
import { createUser, createWorkspace, grantAccess } from "./factories.js";
import type { Gateway, GraphQLAnswer, Sender } from "./harness.js";

/** A valid id that no record has. */
export const unknownId = "00000000-0000-4000-8000-000000000000";

/** A user for tests, and how to send requests as that user. */
export interface TestUser {
  id: string;
  authId: string;
  as: Sender;
}

/**
 * Creates a user with roles, and with permissions at single facilities; without a
 * workspace, in one of their own.
 */
export async function createTestUser(
  prisma: PrismaClient,
  values: { workspaceId?: string; roles?: readonly Permission[]; at?: Record<string, Permission[]> },
): Promise<TestUser & { workspaceId: string }> {
  const { workspaceId = await createWorkspace(prisma), roles = [], at = {} } = values;
  const authId = `test-user|${randomUUID()}`;
  const id = await createUser(prisma, { workspaceId, authId, roles: [...roles] });
  for (const [facilityId, actions] of Object.entries(at))
    await grantAccess(prisma, { userId: id, facilityId, workspaceId, actions });
  return { id, workspaceId, authId, as: { user: authId } };
}

/** Creates a user with all permissions; without a workspace, in one of their own. */
export const createAdmin = (prisma: PrismaClient, workspaceId?: string) =>
  createTestUser(prisma, { ...(workspaceId && { workspaceId }), roles: permissions });

/** A mutation with its variables, which {@link run} and {@link refusal} send. */
export type Call = readonly [mutation: string, variables: object];

/** Runs a mutation that must succeed. */
export function run<Data = unknown>(
  gateway: Gateway,
  { as }: { as: Sender },
  [mutation, variables]: Call,
): Promise<Data> {
  return gateway.data<Data>(mutation, { as, variables });
}

/**
 * Runs a mutation that must be refused as a whole, and answers how: code and message, and
 * the paths of faulty arguments.
 */
export async function refusal(
  gateway: Gateway,
  { as }: { as: Sender },
  [mutation, variables]: Call,
): Promise<{ code: string; message: string; paths?: string[] }> {
  const answer: GraphQLAnswer<unknown> = await gateway.graphql<unknown>(mutation, { as, variables });
  expect(answer.errors, JSON.stringify(answer.data)).toHaveLength(1);
  const [error] = answer.errors ?? [];
  const { code = "", details } = error?.extensions ?? {};
  return { code, message: error?.message ?? "", ...(details && { paths: details.map(({ path }) => path) }) };
}
