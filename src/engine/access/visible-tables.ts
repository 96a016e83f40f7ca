import { defined } from "../../platform/defined.js";
import { entriesOf } from "../../platform/record.js";

/** What decides who sees the rows of a table. */
export type TableOwner = "workspace" | "facility" | "camera" | "alerts";

interface VisibleTable {
  table: string;
  /** What the rows belong to; absent if the statement of their source says which of them are visible. */
  of?: TableOwner;
  /** Whether the audit log tells changes of the rows. */
  isAudited?: true;
}

/** The tables whose rows callers see, by the names of their visible rows. Rows of a camera are purged with it. */
const visibleTables = {
  workspaces: { table: "Workspace", isAudited: true },
  facilities: { table: "Facility", isAudited: true },
  facilityAccesses: { table: "FacilityAccess", of: "facility", isAudited: true },
  cameras: { table: "Camera", isAudited: true },
  calibrations: { table: "Calibration", of: "camera" },
  analysisJobs: { table: "AnalysisJob", of: "camera" },
  statusChanges: { table: "StatusChange", of: "camera" },
  cameraFeeds: { table: "CameraFeed", of: "camera" },
  /** The feeds of cameras whose stream the gateway cannot read. */
  cameraFeedErrors: { table: "CameraFeed" },
  streamRequests: { table: "StreamRequest", of: "camera" },
  detectionStates: { table: "DetectionState", of: "camera" },
  keptFrames: { table: "KeptFrame", of: "camera" },
  alertRules: { table: "AlertRule", of: "camera", isAudited: true },
  removedAlertRules: { table: "RemovedAlertRule", of: "camera" },
  alerts: { table: "Alert", of: "alerts", isAudited: true },
  alertComments: { table: "AlertComment", of: "alerts", isAudited: true },
  alertClips: { table: "AlertClip", of: "alerts" },
  alertDayCounts: { table: "AlertDayCount", of: "alerts" },
  alertDayKindCounts: { table: "AlertDayKindCount", of: "alerts" },
  openAlertCounts: { table: "OpenAlertCount", of: "alerts" },
  /** All deliveries but those of stream requests, which show their own. */
  deliveries: { table: "Delivery", isAudited: true },
  /** The targets for all facilities: select only those of visible deliveries. */
  deliveryTargets: { table: "DeliveryTarget", of: "workspace" },
  /** The queues for all facilities, like the targets. */
  deliveryQueues: { table: "DeliveryQueue", of: "workspace" },
  alertUploads: { table: "AlertUpload", of: "facility", isAudited: true },
  users: { table: "User", of: "workspace", isAudited: true },
  /** The caller's own views: nobody sees those of others. */
  savedViews: { table: "SavedView", isAudited: true },
  digests: { table: "Digest", of: "workspace" },
  /** The caller's own sessions. */
  sessions: { table: "Session" },
  invitations: { table: "Invitation", of: "workspace", isAudited: true },
  apiKeys: { table: "ApiKey", of: "workspace", isAudited: true },
  connectors: { table: "Connector", of: "workspace", isAudited: true },
  auditEntries: { table: "AuditEntry", of: "workspace" },
} as const satisfies Record<string, VisibleTable>;

type VisibleTables = typeof visibleTables;
type SourcesWith<Facts> = {
  [Name in SourceName]: VisibleTables[Name] extends Facts ? Name : never;
}[SourceName];

/** The name of a table's visible rows. */
export type SourceName = keyof VisibleTables;

/** The sources of rows that belong to nothing that decides alone who sees them. */
export type OtherSource = Exclude<SourceName, SourcesWith<{ of: TableOwner }>>;

/** The tables whose rows are visible with what they belong to. */
export const ownedTables = entriesOf(visibleTables).flatMap(([name, facts]) =>
  "of" in facts ? [{ name, ...facts }] : [],
);

/** The tables with rows of cameras. */
export const tablesOfCameras = ownedTables.flatMap((each) => (each.of === "camera" ? [each.table] : []));

/** The type of an object that audit entries name. */
export type AuditedType = VisibleTables[SourcesWith<{ isAudited: true }>]["table"];

const auditedSources = new Map(
  entriesOf(visibleTables).flatMap(([name, facts]) =>
    "isAudited" in facts ? [[facts.table satisfies AuditedType, name] as const] : [],
  ),
);

/** The types of objects that audit entries name. */
export const auditedTypes = [...auditedSources.keys()];

/** The source of the visible rows of a type that audit entries name. */
export const sourceOf = (type: AuditedType): SourceName => defined(auditedSources.get(type));
