import { Ctx, Mutation, Resolver } from "type-graphql";
import { Due } from "../../engine/leases/due.js";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { changedFields, isUnchanged, type WriteAccess } from "../../engine/operation/write.js";
import { ServiceError } from "../../platform/errors/errors.js";
import { InputArg } from "../../platform/input/input-type.js";
import { ConnectorReportInput } from "./connector.input.js";
import { Connector } from "./connector.type.js";

/** The maximum number of connectors of an API key. */
const maxConnectors = 20;

/** A connector that has been silent for this long gives its slot to a new one. */
const replacedAfterMs = 3_600_000;

@Resolver()
export class ConnectorMutations {
  @Mutation(() => Connector, {
    description: `Records what the connector that uses the calling API key says of itself. Call it each minute: one that was not heard for 3 minutes counts as away in the console. A key has at most ${maxConnectors} connectors: another name takes the place of the one that has been silent for longest, or is CONFLICT if all were heard within the last hour. Needs no permission; FORBIDDEN unless the caller is an API key.`,
  })
  async reportConnector(
    @Ctx() context: RequestContext,
    @InputArg(ConnectorReportInput, "The report.") { name, kind, version, unmapped }: ConnectorReportInput,
  ) {
    if (context.caller.kind !== "api-key")
      throw new ServiceError("FORBIDDEN", "This needs an API key: a connector is no user");
    return context.write(
      async (write) => {
        const { workspaceId, id: apiKeyId } = write.caller;
        // The connectors of a key report one after the other, so that their number holds.
        await write.lock("ApiKey", apiKeyId);
        const where = { workspaceId_apiKeyId_name: { workspaceId, apiKeyId, name } };
        const before = await write.transaction.connector.findUnique({ where });
        if (!before) await makeRoom(write);
        const data = { kind, version, unmapped: sourcesOf(unmapped), lastReportedAt: write.now };
        const connector = await write.transaction.connector.upsert({
          where,
          create: { ...data, workspaceId, apiKeyId, name, firstReportedAt: write.now },
          update: data,
        });
        const changes = changedFields<object>(before ?? {}, { name, kind, version });
        if (!isUnchanged(changes)) write.auditChange("Connector", connector, changes);
        return connector;
      },
      { keepsAccess: true },
    );
  }
}

/** Sources as the API shows them. */
const sourcesOf = (unmapped: ConnectorReportInput["unmapped"]) =>
  (unmapped ?? []).map(({ kind, name, cameraId, count, lastSeenAt }) => ({
    kind,
    name,
    cameraId: cameraId ?? null,
    count,
    lastSeenAt: lastSeenAt.toISOString(),
  }));

/**
 * Deletes the connector of the key that was silent for longest if its slots are full: a name that changes with each
 * start, as that of a container does, would otherwise fill them for ever.
 */
async function makeRoom({ transaction, caller, now }: WriteAccess): Promise<void> {
  const { workspaceId, id: apiKeyId } = caller;
  const known = await transaction.connector.findMany({
    where: { workspaceId, apiKeyId },
    orderBy: [{ lastReportedAt: "asc" }, { id: "asc" }],
    select: { id: true, lastReportedAt: true },
  });
  if (known.length < maxConnectors) return;
  const replaceable = Due.ofAge(replacedAfterMs, now);
  const silent = known.find(({ lastReportedAt }) => replaceable.includes(lastReportedAt));
  if (!silent)
    throw new ServiceError(
      "CONFLICT",
      `The API key has ${known.length} connectors, and all were heard within the last hour: use another key`,
    );
  await transaction.connector.delete({ where: { workspaceId_id: { workspaceId, id: silent.id } } });
}
