import { Arg, Ctx, Mutation, Resolver } from "type-graphql";
import type { RequestContext } from "../operation/request-context.js";
import { ConnectorReportInput } from "./connector.input.js";
import type { ConnectorRow } from "./connector.loader.js";
import { Connector } from "./connector.type.js";
import { maxConnectors, reportConnector } from "./connector-write.service.js";

@Resolver()
export class ConnectorMutations {
  @Mutation(() => Connector, {
    description: `Records what the connector that uses the calling API key says of itself. Call it each minute: one that was not heard for 3 minutes counts as away in the console. A key has at most ${maxConnectors} connectors: another name takes the place of the one that has been silent for longest, or is CONFLICT if all were heard within the last hour. Needs no permission; FORBIDDEN unless the caller is an API key.`,
  })
  reportConnector(
    @Ctx() context: RequestContext,
    @Arg("input", () => ConnectorReportInput, { description: "The report." }) input: ConnectorReportInput,
  ): Promise<ConnectorRow> {
    return reportConnector(context, input);
  }
}
