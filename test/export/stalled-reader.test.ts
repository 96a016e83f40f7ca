// Runs once: no database can influence what is tested here.
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import express from "express";
import { expect, it, onTestFinished } from "vitest";
import { type Download, DownloadSender } from "../../src/http/download.js";
import { createLog } from "../../src/platform/log.js";
import type { RequestContext } from "../../src/request/request-context.js";

const endless = function* () {
  for (;;) yield Buffer.alloc(256 * 1024);
};

const download: Download = {
  contentType: "application/octet-stream",
  fileName: () => "zeros",
  open: async (request) => ({
    context: request as RequestContext,
    write: async (target) => {
      await pipeline(Readable.from(endless()), target);
      return 0;
    },
  }),
};

/** A server that sends endless files and disconnects clients that read nothing for the given time. */
async function startSending(stallTimeoutMs: number): Promise<string> {
  const downloads = new DownloadSender({ stallTimeoutMs });
  const services = { log: createLog("silent"), now: () => new Date() };
  const app = express().get("/", (request, response) => {
    const context = { caller: { id: request.get("caller") }, origin: { id: "" }, services } as unknown as RequestContext;
    return downloads.send(context, download, "", request, response);
  });
  const server = app.listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Requests a file and reads only the headers of the response. */
async function stall(url: string, caller: string): Promise<number | undefined> {
  const request = get(url, { agent: false, headers: { caller } });
  onTestFinished(() => void request.destroy());
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.on("error", () => {});
  return response.statusCode;
}

it("clients that have stopped reading are disconnected to make room for others", async () => {
  const url = await startSending(1_000);
  const callers = ["one", "one", "other", "other"];
  expect(await Promise.all(callers.map((caller) => stall(url, caller)))).toEqual([200, 200, 200, 200]);
  const requestHead = async () => (await fetch(url, { method: "HEAD", headers: { caller: "third" } })).status;
  expect(await requestHead()).toBe(503);
  await expect.poll(requestHead, { timeout: 10_000 }).toBe(200);
});
