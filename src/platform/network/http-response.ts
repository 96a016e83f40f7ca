import type { ClientRequest, IncomingMessage } from "node:http";

/**
 * Sends a request, and returns the head of the response. All listeners are there before anything is sent, and stay: a
 * server may send something wrong behind its response, and Node.js then reports both at once, or the error at any later
 * time.
 */
export function responseTo(request: ClientRequest, body?: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request
      .on("response", (response) => resolve(response.on("error", () => undefined)))
      // Nobody asked for an upgrade, but no other event reports this response.
      .on("upgrade", (response, socket) => {
        socket.destroy();
        resolve(response.destroy());
      })
      .on("error", reject)
      .on("close", () => reject(new Error("The connection was closed")))
      .end(body);
  });
}
