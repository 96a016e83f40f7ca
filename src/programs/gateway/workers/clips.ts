import { Gauge } from "prom-client";
import { leaseStep } from "../../../engine/leases/due-rows.js";
import type { GatewayServices } from "../../../engine/operation/gateway-services.js";
import { abandonedClips, abandonedMs } from "../../../features/alert/clips/settled-clips.js";
import { ClipMaker } from "../../../features/camera-feed/ring/clip-maker.js";
import type { RingHolder } from "../../../features/camera-feed/ring/ring-holder.js";
import { readNowAndThen } from "../../../platform/telemetry/occasional-read.js";
import { later } from "../../../platform/time.js";
import type { Infrastructure } from "../infrastructure.js";
import type { Runtime } from "../runtime.js";

/** The time that clips have to be stored when the gateway closes. */
const closingMs = 5_000;

/** Adds the workers that make the clips of alerts, if this instance has rings, and that give up those nobody makes. */
export function addClips(
  { now, disposers }: Runtime,
  { database, workers, events, temporary, registry }: Infrastructure,
  services: GatewayServices,
  rings: RingHolder | undefined,
): void {
  workers.add(
    "giving up clips that nobody makes",
    leaseStep(database, () => later(now(), -abandonedMs), abandonedClips(services)),
  );
  const next = readNowAndThen(
    () =>
      database.prisma.$queryRaw<{ bytes: number }[]>`
        SELECT coalesce(sum("size"), 0)::float8 AS "bytes" FROM "AlertClip"`,
    now,
  );
  new Gauge({
    name: "gateway_store_bytes",
    help: "Bytes of objects in the store, by kind: of the clips of alerts",
    labelNames: ["kind"],
    registers: [registry],
    async collect() {
      const [clips] = await next();
      if (clips) this.set({ kind: "clips" }, clips.bytes);
    },
  });
  if (!rings) return;
  const maker = new ClipMaker({ services, temporary, rings });
  const worker = workers.add("making the clips of alerts", (its) => maker.step(its), { closingMs });
  disposers.defer(() => worker.close());
  // Any instance may record the alerts of a camera whose ring is here.
  events.listen({ topic: "alertRaised" }, () => worker.wake());
}
