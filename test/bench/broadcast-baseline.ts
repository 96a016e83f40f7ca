import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { WebSocket, WebSocketServer } from "ws";

/**
 * The baseline for subscriptions: broadcasts each request body unchanged to all connected
 * clients.
 */
const server = createServer(async (request, response) => {
  const message = await text(request);
  for (const client of sockets.clients) if (client.readyState === WebSocket.OPEN) client.send(message);
  response.end();
});
const sockets = new WebSocketServer({ server });
server.listen(0, "127.0.0.1", () =>
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
process.on("SIGTERM", () => process.exit(0));
