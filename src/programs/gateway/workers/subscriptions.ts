import type { Express } from "express";
import proxyAddress from "proxy-addr";
import { OpenSockets } from "../../../api/sockets/open-sockets.js";
import { SubscriptionServer } from "../../../api/sockets/subscription-server.js";
import { Subscriptions } from "../../../api/sockets/subscriptions.js";
import type { RequestMetrics } from "../../../engine/http/monitoring/request-metrics.js";
import { clientAddress } from "../../../engine/http/request-origin.js";
import type { GatewayServices } from "../../../engine/operation/gateway-services.js";
import type { Infrastructure } from "../infrastructure.js";
import type { Operations } from "../operations.js";
import type { Runtime } from "../runtime.js";

export function createSubscriptionServer(
  { environment, shutdown }: Runtime,
  { registry, workers }: Infrastructure,
  services: GatewayServices,
  {
    documents,
    metrics,
    socketCloseTimeoutMs,
  }: Pick<Operations, "documents"> & { metrics: RequestMetrics; socketCloseTimeoutMs: number },
  app: Express,
): { sockets: OpenSockets; subscriptionServer: SubscriptionServer } {
  const subscriptions = new Subscriptions({
    services,
    registry,
    backlog: environment.SOCKET_BACKLOG,
  });
  const sockets = new OpenSockets(
    { services, subscriptions, registry, workers },
    {
      maxPerCaller: environment.MAX_SOCKETS,
      // Leave half of the connections to other workspaces.
      maxPerWorkspace: Math.ceil(environment.MAX_CONNECTIONS / 2),
      pingInterval: environment.SOCKET_PING_INTERVAL,
    },
  );
  const subscriptionServer = new SubscriptionServer(
    {
      services,
      sockets,
      subscriptions,
      documents,
      metrics,
      addressOf: (request) => clientAddress(request, proxyAddress(request, app.get("trust proxy fn"))),
      isDraining: () => shutdown.hasBegun,
    },
    {
      origins: environment.CORS_ORIGIN ?? [],
      maxPending:
        environment.RATE_LIMIT === "off" ? Number.POSITIVE_INFINITY : environment.RATE_LIMIT_ADDRESS,
      maxSubscriptions: environment.MAX_SUBSCRIPTIONS,
      closeTimeoutMs: socketCloseTimeoutMs,
    },
  );
  return { sockets, subscriptionServer };
}
