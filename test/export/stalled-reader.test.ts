// Needs no gateway.

import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import express from "express";
import { type Download, type DownloadLimits, DownloadSender } from "../../src/engine/http/download.js";
import type { RequestContext } from "../../src/engine/operation/request-context.js";
import { createLog } from "../../src/platform/telemetry/log.js";
import { listenForTest } from "../support/listening.js";

const endless = function* () {
  for (;;) yield Buffer.alloc(256 * 1024);
};

const download: Download = {
  contentType: "application/octet-stream",
  open: async (request) => ({
    context: request as RequestContext,
    contentType: "application/octet-stream",
    fileName: () => "zeros",
    write: async (target) => {
      await pipeline(Readable.from(endless()), target);
      return 0;
    },
  }),
};

/** A server that sends endless files within the given limits. */
async function startSending(limits: Partial<DownloadLimits>): Promise<string> {
  const downloads = new DownloadSender(limits);
  const services = { log: createLog("silent"), now: () => new Date() };
  const app = express().get("/", (request, response) => {
    const [workspaceId, id] = request.get("caller")?.split("|") ?? [];
    const context = {
      caller: { id, workspaceId },
      origin: { id: "" },
      services,
    } as unknown as RequestContext;
    return downloads.send(context, download, "", request, response);
  });
  return `http://127.0.0.1:${await listenForTest(createServer(app))}`;
}

/** Requests a file and reads only the headers of the response. */
async function open(url: string, caller: string): Promise<IncomingMessage> {
  const request = get(url, { agent: false, headers: { caller } });
  onTestFinished(() => void request.destroy());
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.on("error", () => {});
  return response;
}

it("clients that read too slowly are disconnected, to make room for waiting ones", async () => {
  const url = await startSending({ leastRate: { bytesPerSecond: 16 * 1024, windowMs: 600 } });
  const slow = await Promise.all(["a|one", "a|one", "a|other", "b|one"].map((caller) => open(url, caller)));
  expect(slow.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
  expect((await open(url, "c|one")).statusCode).toBe(200);
});

it("a download is ended after its longest time, however fast its client reads", async () => {
  const url = await startSending({ maxDurationMs: 300 });
  const response = await open(url, "a|one");
  response.resume();
  await new Promise((resolve) => response.once("close", resolve));
  expect(response.complete).toBe(false);
});
