import type { ClientRequest, IncomingMessage } from "node:http";

/** The listeners stay: a server may send something wrong behind its answer, at any later time. */
export function answerTo(request: ClientRequest, body?: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request
      .on("response", (answer) => resolve(answer.on("error", () => undefined)))
      // Nobody asked for an upgrade, but no other event reports this answer.
      .on("upgrade", (answer, socket) => {
        socket.destroy();
        resolve(answer.destroy());
      })
      .on("error", reject)
      .on("close", () => reject(new Error("The connection was closed")))
      .end(body);
  });
}
