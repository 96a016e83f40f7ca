import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { assertCan } from "../../engine/access/permissions.js";
import type { RequestContext } from "../../engine/operation/request-context.js";
import { RequiresColumns, ReturnsLoaded } from "../../engine/reading/annotations.js";
import { loadReferenced } from "../../engine/reading/load-referenced.js";
import { Selected } from "../../engine/reading/selection/selected-fields.js";
import type { Selection } from "../../engine/reading/selection/selection.js";
import { defined } from "../../platform/defined.js";
import { apiKeyById } from "../api-key/api-key.loader.js";
import { ApiKey } from "../api-key/api-key.type.js";
import { Workspace } from "../workspace/workspace.type.js";
import { type ConnectorRow, connectorsByWorkspace } from "./connector.loader.js";
import { Connector } from "./connector.type.js";

@Resolver(() => Connector)
export class ConnectorResolver {
  @ReturnsLoaded()
  @RequiresColumns("apiKeyId")
  @FieldResolver(() => ApiKey, {
    description: "The API key that the connector uses. It may have expired or been revoked since.",
  })
  apiKey(@Ctx() context: RequestContext, @Selected() selection: Selection, @Root() connector: ConnectorRow) {
    return loadReferenced(context, apiKeyById, selection, defined(connector.apiKeyId));
  }
}

@Resolver(() => Workspace)
export class WorkspaceConnectorsResolver {
  @ReturnsLoaded()
  @RequiresColumns()
  @FieldResolver(() => [Connector], {
    nullable: true,
    description:
      "The programs that use API keys of the workspace to bring in what other products see, ordered by name, including those with expired and revoked keys. Requires api-keys:write in the workspace: without this permission null, with the error FORBIDDEN.",
  })
  async connectors(@Ctx() context: RequestContext, @Selected() selection: Selection) {
    assertCan(context.caller, "api-keys:write");
    return connectorsByWorkspace(context, selection).load(context.caller.workspaceId);
  }
}
