import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { WebSocket, WebSocketServer } from "ws";
import { announce } from "./announce.js";

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
announce(server);
