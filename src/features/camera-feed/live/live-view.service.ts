import { identityOf } from "../../../engine/access/credentials.js";
import { type GatewayRequest, RequestContext } from "../../../engine/operation/request-context.js";
import { authenticateByPayload, type SignedPayload } from "../../../engine/operation/signed-payload.js";
import { Prisma } from "../../../generated/prisma/client.js";
import { invalidLink, orNotFound, ServiceError } from "../../../platform/errors/errors.js";
import { later } from "../../../platform/time.js";
import type { CameraRow } from "../../camera/camera.loader.js";
import { maxRefusals } from "../due-feeds.js";
import type { LiveStream } from "./live-readers.js";

/** How long a link to a live view may be opened, in milliseconds. */
const linkLifetimeMs = 5 * 60_000;

const pathOf = (cameraId: string) => `cameras/${cameraId}/live`;

interface LiveTicket extends SignedPayload {
  /** When the credentials of the link's creator expire, in milliseconds since 1970; missing if they do not. */
  until?: number;
}

/** Creates a link to a camera's live view, which needs no credentials. Null if the gateway does not open the stream. */
export async function liveUrl(context: RequestContext, camera: CameraRow): Promise<string | null> {
  const { services, session } = context;
  if (!services.settings.hasBuiltinFeed || !camera.isFed) return null;
  const ticket: LiveTicket = {
    identity: identityOf(session),
    ...(Number.isFinite(session.expiresAt) && { until: session.expiresAt }),
  };
  const expiresAt = later(services.now(), linkLifetimeMs);
  return orNotFound(await services.links.signPayload(pathOf(camera.id), ticket, expiresAt));
}

export interface LiveView {
  stream: LiveStream;
  viewer: RequestContext["caller"];
  /** Fails if the viewer may no longer have the view, or the camera now has another stream. */
  check(): Promise<void>;
}

/**
 * Opens the live view of a camera by its signed link. NOT_FOUND if the link is invalid or has expired, or if its
 * creator may not see the camera. UNAVAILABLE if the camera is lost, or refuses the password: each view would be
 * another try.
 */
export async function openLiveView(
  request: GatewayRequest,
  cameraId: string,
  signed: string,
): Promise<LiveView> {
  const { context, payload } = await authenticateByPayload<LiveTicket>(request, pathOf(cameraId), signed);
  const { authenticator, now } = request.services;
  const assertUnexpired = () => {
    if (payload.until !== undefined && payload.until <= now().getTime()) throw invalidLink();
  };
  assertUnexpired();
  const { url, isLost, isAlone } = await streamOf(context, cameraId);
  if (isLost) throw unavailable("The camera is lost: its stream cannot be opened");
  return {
    stream: { workspaceId: context.caller.workspaceId, cameraId, url, isAlone },
    viewer: context.caller,
    async check() {
      assertUnexpired();
      const session = await authenticator.revalidate(context.session).catch((error) => {
        throw error instanceof ServiceError && error.code === "UNAUTHENTICATED" ? invalidLink() : error;
      });
      const current = await streamOf(new RequestContext(request, session), cameraId);
      if (current.url !== url) throw new ServiceError("NOT_FOUND", "The camera has another stream now");
    },
  };
}

const unavailable = (message: string) => new ServiceError("UNAVAILABLE", message, { retryAfter: 10 });

interface OpenedStream {
  url: string;
  isLost: boolean;
  isAlone: boolean;
  isElsewhere: boolean;
}

/** The stream of a camera. UNAVAILABLE if another instance has the camera for itself. */
async function streamOf({ visible, services }: RequestContext, cameraId: string): Promise<OpenedStream> {
  const [found] = await visible.query<OpenedStream>(
    ({ cameras, cameraFeeds, now }) => Prisma.sql`
      SELECT camera."url", feed."lostAt" IS NOT NULL OR feed."refusals" >= ${maxRefusals}::int AS "isLost",
        coalesce(feed."aloneUntil" > ${now}, false) AS "isAlone",
        coalesce(feed."ringUntil" > ${now} AND feed."ringHolder" <> ${services.instanceId}::uuid, false) AS "isElsewhere"
      FROM ${cameras} AS camera JOIN ${cameraFeeds} AS feed ON feed."cameraId" = camera."id"
      WHERE camera."id" = ${cameraId}::uuid AND camera."url" IS NOT NULL`,
  );
  const stream = orNotFound(found);
  if (stream.isElsewhere) throw unavailable("Another instance of the gateway is connected to the camera");
  return stream;
}
