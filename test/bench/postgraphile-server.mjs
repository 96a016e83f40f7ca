// @ts-nocheck: its packages are installed in a folder of their own.
// PostGraphile 5 on node:http with persisted operations, for comparison: see "A peer" in
// README.md. Environment: PORT, DATABASE_URL; RLS=1 to send a role and claims, in a
// transaction per request, as PostGraphile authorizes; OUTPUT_DATA_AS_STRING=1 for
// answers as PostgreSQL writes them, which need not be parsed.
import { createServer } from "node:http";
import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(path.resolve("package.json"));
const { postgraphile } = require("postgraphile");
const { PostGraphileAmberPreset } = require("postgraphile/presets/amber");
const { makePgService } = require("postgraphile/adaptors/pg");
const { grafserv } = require("postgraphile/grafserv/node");
const { PostGraphileConnectionFilterPreset } = require("postgraphile-plugin-connection-filter");
const { PgAggregatesPreset } = require("@graphile/pg-aggregates");
const { default: PersistedPlugin } = require("@grafserv/persisted");

const cameras = `camerasByWorkspaceIdAndFacilityIdList(orderBy: [NAME_ASC]) {
  rowId name status
  alertRulesByWorkspaceIdAndCameraIdList(orderBy: [NAME_ASC]) { rowId name severity status }
  alertsByWorkspaceIdAndCameraIdList(first: 5, orderBy: [CREATED_AT_DESC, ROW_ID_DESC]) { rowId name severity count createdAt }
}`;
const alerts = (
  total,
) => `query ($workspace: UUID!, $start: Datetime!, $end: Datetime!) { workspaceByRowId(rowId: $workspace) {
  alertsByWorkspaceId(first: 20, orderBy: [CREATED_AT_DESC, ROW_ID_DESC], filter: { createdAt: { greaterThanOrEqualTo: $start, lessThan: $end } }) {
    ${total}
    nodes {
      rowId cameraId name count createdAt url imageDimensions canvasDimensions violatingCoordinates area storageClass info bookmark alertRuleId
      falsePositive facilityByWorkspaceIdAndFacilityId { timeZoneId }
    }
  }
} }`;
const operations = {
  V1: `query ($workspace: UUID!, $id: UUID!) { facilityByWorkspaceIdAndRowId(workspaceId: $workspace, rowId: $id) { rowId name ${cameras} } }`,
  V2: `query ($workspace: UUID!) { workspaceByRowId(rowId: $workspace) { facilitiesByWorkspaceIdList(orderBy: [NAME_ASC]) { rowId name ${cameras} } } }`,
  L: alerts("totalCount"),
  P: alerts(""),
  O: `query ($workspace: UUID!, $id: UUID!) { cameraByWorkspaceIdAndRowId(workspaceId: $workspace, rowId: $id) {
    rowId name status statusDetail imageLink dataCollectionEnabled dataCollectionObjects dataCollectionConfig customDataCollectionConfigs
    facilityId imageDimensions streamType advancedSettings facilityNodeId
  } }`,
};

const authorization = process.env.RLS && {
  pgSettings: () => ({ role: "app_user", "jwt.claims.user_id": "42", "jwt.claims.workspace_id": "w1" }),
};
const instance = postgraphile({
  extends: [PostGraphileAmberPreset, PostGraphileConnectionFilterPreset, PgAggregatesPreset],
  plugins: [PersistedPlugin],
  schema: { defaultBehavior: "connection list" },
  pgServices: [
    makePgService({
      connectionString: process.env.DATABASE_URL,
      schemas: ["public"],
      poolConfig: { max: 10 },
      ...authorization,
    }),
  ],
  grafast: { explain: false },
  grafserv: {
    graphqlPath: "/graphql",
    graphiql: false,
    websockets: false,
    watch: false,
    maxRequestLength: 100_000,
    outputDataAsString: Boolean(process.env.OUTPUT_DATA_AS_STRING),
    persistedOperations: operations,
    hashFromPayload: (request) => request?.documentId,
  },
});
const server = createServer();
server.keepAliveTimeout = 60_000;
await instance.createServ(grafserv).addTo(server);
server.listen(Number(process.env.PORT), "127.0.0.1", () =>
  console.log(`listening on http://127.0.0.1:${process.env.PORT}/graphql`),
);
