import "reflect-metadata";
import { extractExtensionsFromSchema, makeExecutableSchema } from "@graphql-tools/schema";
import { type GraphQLSchema, isObjectType, printSchema } from "graphql";
import { buildSchemaSync, createResolversMap, type NonEmptyArray, type PubSub } from "type-graphql";
import { AlertMutations } from "../alert/alert.mutation.js";
import {
  AlertResolver,
  AlertRuleAlertsResolver,
  CameraAlertsResolver,
  FacilityAlertsResolver,
  WorkspaceAlertsResolver,
} from "../alert/alert.resolver.js";
import { AlertSubscriptions } from "../alert/alert.subscription.js";
import { AlertExportResolver } from "../alert/alert-export.resolver.js";
import { RecordAlertsMutations, RecordAlertsPayloadResolver } from "../alert/record-alerts.mutation.js";
import { AlertRuleMutations } from "../alert-rule/alert-rule.mutation.js";
import { AlertRuleResolver, CameraAlertRulesResolver } from "../alert-rule/alert-rule.resolver.js";
import { ApiKeyMutations } from "../api-key/api-key.mutation.js";
import { ApiKeyResolver, WorkspaceApiKeysResolver } from "../api-key/api-key.resolver.js";
import { AuditLogResolver } from "../audit/audit-log.resolver.js";
import { CameraAnalysisJobsResolver } from "../camera/analysis-job.resolver.js";
import { CalibrationResolver, CameraCalibrationResolver } from "../camera/calibration.resolver.js";
import { CameraMutations } from "../camera/camera.mutation.js";
import { CameraResolver, FacilityCamerasResolver, WorkspaceCamerasResolver } from "../camera/camera.resolver.js";
import { CameraSubscriptions } from "../camera/camera.subscription.js";
import { ClientCameraMutations } from "../camera/client-camera.mutation.js";
import { CameraStatusHistoryResolver } from "../camera/status-history.resolver.js";
import { FacilityMutations } from "../facility/facility.mutation.js";
import { FacilityResolver, WorkspaceFacilitiesResolver } from "../facility/facility.resolver.js";
import { FacilitySubscriptions } from "../facility/facility.subscription.js";
import { StreamCallbackMutations } from "../stream/stream-callback.mutation.js";
import { CreateCameraPayloadResolver, StreamProbePayloadResolver, StreamRequestMutations } from "../stream/stream-request.mutation.js";
import { CameraStreamRequestsResolver } from "../stream/stream-request.resolver.js";
import { UserMutations } from "../user/user.mutation.js";
import { FacilityAccessesResolver, FacilityAccessResolver, UserResolver, WorkspaceUsersResolver } from "../user/user.resolver.js";
import { WorkspaceResolver } from "../workspace/workspace.resolver.js";

const resolvers: NonEmptyArray<new () => object> = [
  WorkspaceResolver,
  FacilityResolver,
  WorkspaceFacilitiesResolver,
  CameraResolver,
  FacilityCamerasResolver,
  WorkspaceCamerasResolver,
  CameraCalibrationResolver,
  CalibrationResolver,
  CameraAnalysisJobsResolver,
  CameraStatusHistoryResolver,
  CameraStreamRequestsResolver,
  AlertRuleResolver,
  CameraAlertRulesResolver,
  AlertResolver,
  AlertExportResolver,
  WorkspaceAlertsResolver,
  FacilityAlertsResolver,
  CameraAlertsResolver,
  AlertRuleAlertsResolver,
  UserResolver,
  WorkspaceUsersResolver,
  FacilityAccessesResolver,
  FacilityAccessResolver,
  ApiKeyResolver,
  WorkspaceApiKeysResolver,
  AuditLogResolver,
  CameraMutations,
  ClientCameraMutations,
  StreamRequestMutations,
  StreamProbePayloadResolver,
  CreateCameraPayloadResolver,
  StreamCallbackMutations,
  AlertRuleMutations,
  AlertMutations,
  RecordAlertsMutations,
  RecordAlertsPayloadResolver,
  FacilityMutations,
  UserMutations,
  ApiKeyMutations,
  AlertSubscriptions,
  CameraSubscriptions,
  FacilitySubscriptions,
];

/** TypeGraphQL wants one as soon as there are subscriptions, although each of ours says itself where its events come from. */
const nobody: PubSub = {
  publish: (topic) => wantsSource(topic),
  subscribe: (topic) => wantsSource(topic),
};

function wantsSource(topic: string): never {
  throw new Error(`The subscription to ${topic} must bring a \`subscribe\` of its own`);
}

/** The one schema that both doors run on. */
export const schema = assemble();

export default schema;

function assemble(): GraphQLSchema {
  // Arguments are checked for the whole operation before it runs (see `ArgumentRules`); the schema itself, when the first
  // operation is validated against it.
  const described = buildSchemaSync({ resolvers, validate: false, pubSub: nobody, skipCheck: true });
  const assembled = makeExecutableSchema({
    typeDefs: printSchema(described),
    resolvers: createResolversMap(described),
    // The printed type definitions do not hold what our decorators attach to fields.
    schemaExtensions: extractExtensionsFromSchema(described),
  });
  assertFieldsSayWhatTheyRead(assembled);
  return assembled;
}

/** A resolver that reads an undeclared column would find it only when another field happened to be selected too. */
function assertFieldsSayWhatTheyRead(assembled: GraphQLSchema): void {
  const roots = [assembled.getQueryType(), assembled.getMutationType(), assembled.getSubscriptionType()];
  for (const type of Object.values(assembled.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith("__") || roots.includes(type)) continue;
    for (const field of Object.values(type.getFields())) {
      if (field.resolve && !field.extensions.reads) throw new Error(`${type.name}.${field.name} has a resolver and must say what it @Reads`);
    }
  }
}
