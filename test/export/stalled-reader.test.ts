import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import express from "express";
import { expect, it, onTestFinished } from "vitest";
import type { RequestContext } from "../../src/access/request-context.js";
import { type Download, Downloads } from "../../src/http/download.js";
import { createLog } from "../../src/platform/log.js";

const endless = function* () {
  for (;;) yield Buffer.alloc(256 * 1024);
};

const download: Download = {
  contentType: "application/octet-stream",
  fileName: () => "zeros",
  open: async () => async (target) => {
    await pipeline(Readable.from(endless()), target);
    return 0;
  },
};

/** A server that sends files without an end, and hangs up on who takes nothing of them for so many milliseconds. */
async function startSending(patience: number): Promise<string> {
  const downloads = new Downloads({ patience });
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

/** Asks for a file and reads nothing but the head of the answer. */
async function stall(url: string, caller: string): Promise<number | undefined> {
  const request = get(url, { agent: false, headers: { caller } });
  onTestFinished(() => void request.destroy());
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.on("error", () => {});
  return response.statusCode;
}

it("readers that have stopped are hung up on, so that others get their place", async () => {
  const url = await startSending(1_000);
  const callers = ["one", "one", "other", "other"];
  expect(await Promise.all(callers.map((caller) => stall(url, caller)))).toEqual([200, 200, 200, 200]);
  const askForHead = async () => (await fetch(url, { method: "HEAD", headers: { caller: "third" } })).status;
  expect(await askForHead()).toBe(503);
  await expect.poll(askForHead, { timeout: 10_000 }).toBe(200);
});
