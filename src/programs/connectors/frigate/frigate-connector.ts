import { setTimeout as sleep } from "node:timers/promises";
import type { Connector } from "../connector/connector.js";
import { GatewayError } from "../connector/gateway-client.js";
import { untilDone } from "../connector/retries.js";
import { StateFile } from "../connector/state-file.js";
import { CameraRules } from "./camera-rules.js";
import { CameraStatuses } from "./camera-statuses.js";
import { FacilityHeartbeats } from "./facility-heartbeats.js";
import { FrigateClient, FrigateError } from "./frigate-client.js";
import type { FrigateConfiguration } from "./frigate-configuration.js";
import { FrigateMetrics } from "./frigate-metrics.js";
import { FrigatePresence } from "./frigate-presence.js";
import { GatewayAlerts, PrintedAlerts } from "./reviews/alert-recorder.js";
import { Journal, type JournalState, journalState } from "./reviews/journal.js";
import { missedReviews } from "./reviews/missed-reviews.js";
import { ReviewClips } from "./reviews/review-clips.js";
import { ReviewRecorder } from "./reviews/review-recorder.js";
import { SeenObjects } from "./reviews/seen-objects.js";
import { SiteConfiguration } from "./site-configuration.js";
import { StatusReports } from "./status-reports.js";

/** The least time between two looks for settled statuses. */
const statusMs = 5000;

export const clientOf = ({ frigate }: FrigateConfiguration, stopped: AbortSignal): FrigateClient =>
  new FrigateClient({ ...frigate, certificates: frigate.caFile }, stopped);

/** Opens what is needed at once, and begins to work. `since` is null to go on where the last run ended. */
export async function startFrigate(
  connector: Connector<FrigateConfiguration>,
  since: number | null,
): Promise<void> {
  const { configuration, log, signal, disposers, isDryRun, inBackground } = connector;
  const file = new StateFile<JournalState>(configuration.stateFile, configuration.name, log);
  const known = await file.read(journalState);
  const client = clientOf(configuration, signal);
  disposers.defer(() => client.close());
  if (!isDryRun) disposers.defer(() => file.close());
  const startedAt = performance.now();
  const beginning: JournalState = {
    settledUntil: since ?? known?.settledUntil ?? Date.now(),
    settled: since === null ? (known?.settled ?? []) : [],
    statuses: known?.statuses ?? [],
    clips: known?.clips ?? [],
  };
  // If the program is killed before Frigate responds, the next run begins here all the same.
  if (!isDryRun) {
    file.save(beginning);
    await file.flush();
  }
  inBackground(async () => {
    const { cameras } = connector;
    const site = new SiteConfiguration(client);
    await untilDone(() => cameras.load(signal), { signal, log, what: "The gateway", mayPass: isGatewayAway });
    await untilDone(() => site.load(), { signal, log, what: "Frigate", mayPass: isFrigateAway });
    // By now Frigate has told what time it is. A first run begins when the program began.
    if (since === null && !known) beginning.settledUntil = client.now() - (performance.now() - startedAt);
    const journal = new Journal(isDryRun ? null : file, beginning);
    // What is heard from here on is not to be before the beginning of the next run.
    journal.save();
    await file.flush();
    run({ connector, client, site, journal });
  });
}

const isGatewayAway = (error: unknown): boolean => error instanceof GatewayError;
const isFrigateAway = (error: unknown): boolean => error instanceof FrigateError;

interface Running {
  connector: Connector<FrigateConfiguration>;
  client: FrigateClient;
  site: SiteConfiguration;
  journal: Journal;
}

function run(running: Running): void {
  const { connector, client, site, journal } = running;
  const { configuration, log, signal, isDryRun } = connector;
  const { clips, topicPrefix, pictureWaitSeconds, statusSettleSeconds } = configuration.frigate;
  const metrics = new FrigateMetrics(connector.metrics.registry, () => journal.settledUntil);
  const objects = new SeenObjects();
  const statuses = new CameraStatuses(statusSettleSeconds * 1000);
  const alerts = new GatewayAlerts(connector.gateway, log, signal);
  const shared = {
    connector: configuration.name,
    client,
    cameras: connector.cameras,
    journal,
    log,
    stopped: signal,
  };
  const recorder = new ReviewRecorder({
    ...shared,
    site,
    objects,
    rules: new CameraRules(connector.gateway, signal),
    unmapped: connector.unmapped,
    alerts: isDryRun ? new PrintedAlerts() : alerts,
    clips: clips && !isDryRun ? new ReviewClips({ ...shared, alerts }) : null,
    pictureWaitMs: isDryRun ? 0 : pictureWaitSeconds * 1000,
    onOutcome: (outcome) => metrics.reviewed(outcome),
  });
  const presence = new FrigatePresence(connector, topicPrefix, {
    onReview: (review) => recorder.offer(review),
    onObject: (object) => objects.see(object),
    onStatus: (camera, status) => statuses.observe(camera, status, performance.now()),
    onIgnored: () => metrics.ignored(),
  });
  lookForMissed(running, recorder, presence);
  if (isDryRun) return;
  beatForFacilities(running, presence);
  reportStatuses(running, statuses);
}

/** Looks for what was missed: at first, each minute, and when something may have been. */
function lookForMissed(
  { connector, client, journal }: Running,
  recorder: ReviewRecorder,
  presence: FrigatePresence,
): void {
  const { log, signal } = connector;
  const look = async () => {
    for await (const { reviews, until } of missedReviews(client, journal.settledUntil)) {
      await Promise.all(reviews.map((review) => recorder.record(review, "missed")));
      journal.settleUntil(until);
    }
  };
  const what = "Looking for what was missed";
  connector.inBackground(() =>
    presence.pulse().each(signal, () => untilDone(look, { signal, log, what, mayPass: isFrigateAway })),
  );
}

function beatForFacilities({ connector, client, site }: Running, presence: FrigatePresence): void {
  const { gateway, cameras, log, signal } = connector;
  const heartbeats = new FacilityHeartbeats(gateway, cameras, log, signal);
  connector.inBackground(() =>
    presence.pulse().each(signal, async () => {
      const names = [...(await site.cameras()).keys()];
      // Names that cannot be mapped are told, even before anything happens there.
      for (const name of names) if (!cameras.lookUp(name)) cameras.find(name);
      if (presence.isThere && (await doesRespond(client))) await heartbeats.beat(names);
    }),
  );
}

function reportStatuses({ connector, journal }: Running, statuses: CameraStatuses): void {
  const { gateway, cameras, log, signal } = connector;
  const reports = new StatusReports({ gateway, cameras, journal, log, stopped: signal });
  const period = Math.max(100, Math.min(statusMs, statuses.settleMs / 4));
  connector.inBackground(async () => {
    for (;;) {
      await sleep(period, undefined, { signal });
      await reports.send(statuses.settled(performance.now()));
    }
  });
}

async function doesRespond(client: FrigateClient): Promise<boolean> {
  try {
    await client.version();
    return true;
  } catch (error) {
    if (error instanceof FrigateError) return false;
    throw error;
  }
}
