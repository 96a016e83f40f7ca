import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { close, listen } from "../support/listening.js";

export const account = { accountSid: "AC0123456789abcdef", authToken: "twilio-secret", from: "+12025550123" };

export const created = (response: ServerResponse) =>
  response.writeHead(201, { "content-type": "application/json" }).end('{"sid":"SM1","status":"queued"}');

/** A server that speaks Twilio's Messages API, and ends with the running test. */
export async function textMessageServer(respond?: (response: ServerResponse) => unknown) {
  const { url, received, close } = await openTextMessageServer(respond);
  onTestFinished(close);
  return { url, received };
}

/** A server with Twilio's Messages API that runs until closed. */
export async function openTextMessageServer(respond: (response: ServerResponse) => unknown = created) {
  const received: { request: string; headers: IncomingHttpHeaders; form: Record<string, string> }[] = [];
  const server = createServer(async (request, response) => {
    const form = Object.fromEntries(new URLSearchParams(await text(request)));
    received.push({ request: `${request.method} ${request.url}`, headers: request.headers, form });
    respond(response);
  });
  return { url: `http://127.0.0.1:${await listen(server)}`, received, close: () => void close(server) };
}
