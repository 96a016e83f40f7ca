import { permissionNames } from "../../engine/access/permissions.js";
import "reflect-metadata";
import { extractExtensionsFromSchema, makeExecutableSchema } from "@graphql-tools/schema";
import {
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  isObjectType,
  printSchema,
} from "graphql";
import { buildSchemaSync, createResolversMap, type NonEmptyArray, type PubSub } from "type-graphql";
import { completeNodes, NodeResolver } from "../../engine/nodes/node.resolver.js";
import { RequestContext } from "../../engine/operation/request-context.js";
import { hasDeclaredCost } from "../../engine/reading/annotations.js";
import { unitsOfRow } from "../../engine/reading/rows.js";
import { assertReadable } from "../../engine/reading/selection/schema-check.js";
import { isAnswerInfo } from "../../engine/reading/selection/selected-fields.js";
import { AlertFields, AlertQueries, alertFieldsOfParents } from "../../features/alert/alert.resolver.js";
import { AlertChangeResolver, AlertSubscriptions } from "../../features/alert/alert.subscription.js";
import { AlertClipFields } from "../../features/alert/clips/alert-clip.type.js";
import { AlertExportResolver } from "../../features/alert/export/alert-export.resolver.js";
import { AlertUploadMutations } from "../../features/alert/recording/alert-upload.mutation.js";
import {
  RecordAlertsMutations,
  RecordAlertsPayloadResolver,
} from "../../features/alert/recording/record-alerts.mutation.js";
import { CameraAlertHeatmapFields } from "../../features/alert/statistics/alert-heatmap.resolver.js";
import { AlertStatisticsResolver } from "../../features/alert/statistics/alert-statistics.resolver.js";
import { openAlertCountFields } from "../../features/alert/statistics/open-alert-count.resolver.js";
import {
  AlertTriageMutations,
  MarkAlertsPayloadResolver,
} from "../../features/alert/triage/alert-triage.mutation.js";
import { AlertCommentFields, AlertTriageFields } from "../../features/alert/triage/alert-triage.resolver.js";
import { AlertRuleMutations } from "../../features/alert-rule/alert-rule.mutation.js";
import { AlertRuleFields, CameraAlertRuleFields } from "../../features/alert-rule/alert-rule.resolver.js";
import { SnoozeMutations } from "../../features/alert-rule/snooze.mutation.js";
import {
  AlertRuleSnoozeFields,
  CameraSnoozeFields,
  FacilitySnoozeFields,
} from "../../features/alert-rule/snooze.resolver.js";
import { ApiKeyMutations } from "../../features/api-key/api-key.mutation.js";
import { ApiKeyResolver, WorkspaceApiKeysResolver } from "../../features/api-key/api-key.resolver.js";
import { AuditEntryResolver } from "../../features/audit/audit-entry.resolver.js";
import { AuditLogResolver } from "../../features/audit/audit-log.resolver.js";
import { CalibrationResolver } from "../../features/camera/analysis/calibration.resolver.js";
import { CameraMutations, CreateCameraPayloadResolver } from "../../features/camera/camera.mutation.js";
import {
  CameraResolver,
  FacilityCamerasResolver,
  WorkspaceCamerasResolver,
} from "../../features/camera/camera.resolver.js";
import { CameraSubscriptions } from "../../features/camera/camera.subscription.js";
import { ClientCameraMutations } from "../../features/camera/client/client-camera.mutation.js";
import { CameraStateResolver } from "../../features/camera/status/camera-state.resolver.js";
import { StreamCallbackMutations } from "../../features/camera/stream/stream-callback.mutation.js";
import {
  StreamProbePayloadResolver,
  StreamRequestMutations,
} from "../../features/camera/stream/stream-request.mutation.js";
import { StreamRequestResolver } from "../../features/camera/stream/stream-request.resolver.js";
import {
  CameraFeedErrorResolver,
  CameraFeedResolver,
  StreamRequestErrorResolver,
} from "../../features/camera-feed/camera-feed-error.resolver.js";
import { CameraLiveResolver } from "../../features/camera-feed/live/live.resolver.js";
import { ConnectorMutations } from "../../features/connector/connector.mutation.js";
import {
  ConnectorResolver,
  WorkspaceConnectorsResolver,
} from "../../features/connector/connector.resolver.js";
import { DeliveryMutations } from "../../features/delivery/delivery.mutation.js";
import {
  AlertDeliveriesResolver,
  AlertRuleDeliveriesResolver,
  DeliveryResolver,
  WorkspaceDeliveriesResolver,
} from "../../features/delivery/delivery.resolver.js";
import {
  EvaluatedCameraResolver,
  QuietRuleResolver,
} from "../../features/detection/evaluated-camera.resolver.js";
import {
  CameraDetectionsResolver,
  DetectionFrameResolver,
} from "../../features/detection/kept-frame.resolver.js";
import { CameraLastDetectionResolver } from "../../features/detection/last-detection.resolver.js";
import {
  RecordDetectionsMutations,
  RecordDetectionsPayloadResolver,
} from "../../features/detection/record-detections.mutation.js";
import { AlertRuleTestMutations } from "../../features/detection/rule-test/alert-rule-test.mutation.js";
import { DigestMutations } from "../../features/digest/digest.mutation.js";
import { UserDigestResolver } from "../../features/digest/digest.resolver.js";
import { FacilityMutations } from "../../features/facility/facility.mutation.js";
import { FacilityResolver, WorkspaceFacilitiesResolver } from "../../features/facility/facility.resolver.js";
import { FacilitySubscriptions } from "../../features/facility/facility.subscription.js";
import { InvitationMutations } from "../../features/invitation/invitation.mutation.js";
import {
  InvitationResolver,
  WorkspaceInvitationsResolver,
} from "../../features/invitation/invitation.resolver.js";
import { SavedViewMutations } from "../../features/saved-view/saved-view.mutation.js";
import { UserSavedViewsResolver } from "../../features/saved-view/saved-view.resolver.js";
import { SessionMutations } from "../../features/session/session.mutation.js";
import { UserSessionResolver, UserSessionsResolver } from "../../features/session/user-session.resolver.js";
import { UserMutations } from "../../features/user/user.mutation.js";
import {
  FacilityAccessesResolver,
  FacilityAccessResolver,
  UserResolver,
  WorkspaceUsersResolver,
} from "../../features/user/user.resolver.js";
import { WorkspaceMutations } from "../../features/workspace/workspace.mutation.js";
import { WorkspaceResolver } from "../../features/workspace/workspace.resolver.js";
import { resolverWithPlainArguments } from "../../platform/input/plain-argument.js";
import { resolveInSlices } from "../../platform/queues/slices.js";
import { entitiesField, subgraphOf } from "../federation/subgraph.js";
import { addArgumentRules } from "./argument-rules.js";
import { assertRowsAffordable } from "./limits.js";

const resolvers: NonEmptyArray<new () => object> = [
  NodeResolver,
  WorkspaceResolver,
  FacilityResolver,
  WorkspaceFacilitiesResolver,
  CameraResolver,
  CameraStateResolver,
  CameraFeedErrorResolver,
  CameraFeedResolver,
  CameraLiveResolver,
  StreamRequestErrorResolver,
  FacilityCamerasResolver,
  WorkspaceCamerasResolver,
  CalibrationResolver,
  AlertRuleFields,
  CameraAlertRuleFields,
  CameraSnoozeFields,
  FacilitySnoozeFields,
  AlertRuleSnoozeFields,
  CameraDetectionsResolver,
  CameraLastDetectionResolver,
  DetectionFrameResolver,
  AlertQueries,
  AlertFields,
  AlertClipFields,
  ...alertFieldsOfParents,
  AlertExportResolver,
  AlertStatisticsResolver,
  ...openAlertCountFields,
  CameraAlertHeatmapFields,
  AlertTriageFields,
  AlertCommentFields,
  AlertChangeResolver,
  DeliveryResolver,
  WorkspaceDeliveriesResolver,
  AlertRuleDeliveriesResolver,
  AlertDeliveriesResolver,
  UserResolver,
  UserSavedViewsResolver,
  UserSessionResolver,
  UserSessionsResolver,
  UserDigestResolver,
  WorkspaceUsersResolver,
  FacilityAccessesResolver,
  FacilityAccessResolver,
  ApiKeyResolver,
  WorkspaceApiKeysResolver,
  ConnectorResolver,
  WorkspaceConnectorsResolver,
  AuditLogResolver,
  AuditEntryResolver,
  WorkspaceMutations,
  CameraMutations,
  ClientCameraMutations,
  StreamRequestMutations,
  StreamRequestResolver,
  StreamProbePayloadResolver,
  CreateCameraPayloadResolver,
  StreamCallbackMutations,
  AlertRuleMutations,
  SnoozeMutations,
  AlertTriageMutations,
  MarkAlertsPayloadResolver,
  RecordAlertsMutations,
  AlertUploadMutations,
  DeliveryMutations,
  RecordAlertsPayloadResolver,
  RecordDetectionsMutations,
  RecordDetectionsPayloadResolver,
  EvaluatedCameraResolver,
  QuietRuleResolver,
  AlertRuleTestMutations,
  FacilityMutations,
  InvitationMutations,
  InvitationResolver,
  WorkspaceInvitationsResolver,
  SessionMutations,
  UserMutations,
  SavedViewMutations,
  DigestMutations,
  ApiKeyMutations,
  ConnectorMutations,
  AlertSubscriptions,
  CameraSubscriptions,
  FacilitySubscriptions,
];

/** TypeGraphQL requires a PubSub for subscriptions, although each subscription has its own event source. */
const unusedPubSub: PubSub = {
  publish: (topic) => failWithoutSubscribe(topic),
  subscribe: (topic) => failWithoutSubscribe(topic),
};

function failWithoutSubscribe(topic: string): never {
  throw new Error(`The subscription to ${topic} must define its own \`subscribe\``);
}

/** The schema of both APIs: GraphQL and REST. */
export const schema = buildGatewaySchema();

export default schema;

let subgraph: GraphQLSchema | undefined;

/** The schema as a subgraph of Federation 2, with the same types. */
export function subgraphSchema(): GraphQLSchema {
  subgraph ??= buildSubgraphSchema();
  return subgraph;
}

function buildSubgraphSchema(): GraphQLSchema {
  const subgraph = subgraphOf(schema);
  const entities = subgraph.getQueryType()?.getFields()[entitiesField];
  if (!entities?.resolve) throw new Error("The subgraph has no entities");
  entities.resolve = resolvingInSlices(entities.resolve, hasDeclaredCost(entities));
  return subgraph;
}

function buildGatewaySchema(): GraphQLSchema {
  // Arguments are validated for the whole operation before it runs (see `inputType`). The
  // schema itself is validated together with the first operation.
  const annotatedSchema = buildSchemaSync({
    resolvers,
    validate: false,
    pubSub: unusedPubSub,
    skipCheck: true,
  });
  describeRoots(annotatedSchema);
  const executableSchema = makeExecutableSchema({
    typeDefs: printSchema(annotatedSchema),
    resolvers: createResolversMap(annotatedSchema),
    // Printing the schema loses the extensions that decorators attach to fields.
    schemaExtensions: extractExtensionsFromSchema(annotatedSchema),
    assumeValidSDL: true,
    noLocation: true,
    updateResolversInPlace: true,
  });
  assertReadable(executableSchema);
  completeNodes(executableSchema);
  completeFields(executableSchema);
  return executableSchema;
}

function describeRoots(schema: GraphQLSchema): void {
  schema.description = [
    "The API of the camera monitoring gateway. A workspace has facilities, a facility has cameras, and the alert rules of a camera raise alerts.",
    "**Start** with `Query.facilities` for what there is, with `Query.alerts` for what happened, and with `Subscription.alertRaised` for what is happening. `Mutation.createFacility` and `Mutation.createCamera` fill an empty workspace.",
    "**Credentials**: `Authorization: Bearer <token>`, or an API key as Basic authentication. The playground sends those of your session.",
    `**Permissions** are held in the whole workspace or at single facilities: ${permissionNames}. A description says which one a field requires.`,
    "**Errors** have a code in `extensions.code`:",
    [
      "BAD_REQUEST, with all faulty values in `extensions.details`",
      "UNAUTHENTICATED, whose `extensions.reason` is MISSING, INVALID, EXPIRED or ENDED",
      "FORBIDDEN, with the missing permission in the message",
      "NOT_FOUND, also for objects that the caller may not see",
      "CONFLICT, PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE and RATE_LIMITED",
      "UNAVAILABLE, whose message says whether it is safe to retry",
      "INTERNAL",
      "for an invalid document, GRAPHQL_PARSE_FAILED or GRAPHQL_VALIDATION_FAILED",
    ]
      .map((line) => `- ${line}`)
      .join("\n"),
  ].join("\n\n");
  const roots: [GraphQLObjectType | null | undefined, string][] = [
    [
      schema.getQueryType(),
      "Reads. Objects that the caller may not see are treated as if they did not exist: they are null, and missing from lists and counts.",
    ],
    [
      schema.getMutationType(),
      "Writes, each all or nothing. The audit log records each change. The gateway checks the input of the whole document before it reads or writes anything. Then the mutations run one after the other; a failed mutation does not undo the others. Over HTTP, the header `Idempotency-Key` (1 to 200 printable ASCII characters) makes repetitions safe: for 24 hours, the same request of the same caller with the same key is not carried out again, but returns the first outcome. Only fields of other objects are read again. FORBIDDEN if the caller has lost permissions since. A different request with the same key is CONFLICT. So is a repetition while the first request is still running: its `Retry-After` says when to try again.",
    ],
    [
      schema.getSubscriptionType(),
      "Events as they happen, over WebSocket by the protocol `graphql-transport-ws` on the same path. A client receives only events of objects that its caller may see. Events during a disconnection are not delivered later.",
    ],
  ];
  for (const [type, description] of roots) if (type) type.description = description;
}

/** Adds to all fields the rules and the behaviour that decorators do not cover. */
function completeFields(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith("__")) continue;
    for (const field of Object.values(type.getFields())) {
      addArgumentRules(field);
      if (!field.resolve) continue;
      const resolver = resolverWithPlainArguments({ resolve: field.resolve, extensions: field.extensions });
      const resolve = type === schema.getMutationType() ? runningOnce(resolver) : resolver;
      field.resolve = isListOfObjects(field.type)
        ? resolvingInSlices(resolve, hasDeclaredCost(field))
        : resolve;
    }
  }
}

/** Wraps the resolver of a mutation, so that it does nothing more when its operation runs again. */
function runningOnce(
  resolve: GraphQLFieldResolver<unknown, unknown>,
): GraphQLFieldResolver<unknown, unknown> {
  return (root, args, context, info) => {
    const mutate = () => resolve(root, args, context, info);
    const field = { name: info.fieldName, responseName: String(info.path.key) };
    return context instanceof RequestContext ? context.runOnce(field, mutate) : mutate();
  };
}

function isListOfObjects(type: GraphQLOutputType): boolean {
  return isListType(getNullableType(type)) && isCompositeType(getNamedType(type));
}

/** Wraps the resolver of a list: counts the items and resolves them in slices. Connections do this themselves. */
function resolvingInSlices(
  resolve: GraphQLFieldResolver<unknown, unknown>,
  isWorkedOut: boolean,
): GraphQLFieldResolver<unknown, unknown> {
  return async (root, args, context, info) => {
    const items: unknown = await resolve(root, args, context, info);
    if (!Array.isArray(items)) return items;
    if (context instanceof RequestContext) {
      context.answerSize.addObjects(items.length);
      // An answer has already been completed in slices.
      if (isAnswerInfo(info)) return items;
      if (isWorkedOut) assertRowsAffordable(context, items.length, info);
    }
    return resolveInSlices(context as object, items, unitsOfRow);
  };
}
