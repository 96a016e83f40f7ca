// Needs no gateway.
import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import express, { type Response } from "express";
import { Registry } from "prom-client";
import { sendFrames } from "../../src/features/camera-feed/capture/multipart-response.js";
import { LiveReaders } from "../../src/features/camera-feed/live/live-readers.js";
import { eventually } from "../support/eventually.js";
import { listenForTest } from "../support/listening.js";
import { StreamSource, streamOf, viewerOf } from "./stream-source.js";

const mebibyte = 1024 * 1024;
/** More than the buffers of two sockets hold. */
const frameCount = 60;

/** A frame whose first byte is its number. */
const frameOf = (number: number) => Buffer.alloc(mebibyte, number);

it("a viewer who reads nothing gets later frames only, is sent one more than fits, and keeps nobody waiting", async () => {
  const source = new StreamSource();
  const readers = new LiveReaders(source.readFrames, new Registry());
  const left = new AbortController();
  const stream = streamOf("gate");
  let sent: Response | undefined;
  const app = express().get("/", async (_request, response) => {
    sent = response;
    await sendFrames(readers.watch(stream, viewerOf("slow"), left.signal), response, left.signal).catch(() =>
      response.destroy(),
    );
  });
  const port = await listenForTest(createServer(app));
  onTestFinished(async () => {
    left.abort();
    await readers.close();
  });
  const request = get(`http://127.0.0.1:${port}/`);
  const other = readers.watch(stream, viewerOf("other"), left.signal);
  const first = other.next();
  const responded = once(request, "response");
  await eventually(
    async () => sent,
    (response) => response !== undefined,
  );
  await source.send("gate", frameOf(0));
  await first;
  const [response] = (await responded) as [IncomingMessage];
  for (let number = 1; number < frameCount; number += 1) {
    const next = other.next();
    await source.send("gate", frameOf(number));
    expect((await next).value[0]).toBe(number);
    expect(sent?.writableLength).toBeLessThan(2 * mebibyte);
  }
  // Once the viewer reads, the newest frame follows those in the sockets' buffers.
  const numbers: number[] = [];
  let unread = Buffer.alloc(0);
  for await (const piece of response) {
    unread = Buffer.concat([unread, piece]);
    const start = unread.indexOf("\r\n\r\n") + 4;
    if (start < 4 || unread.length < start + mebibyte) continue;
    numbers.push(unread[start] as number);
    unread = unread.subarray(start + mebibyte);
    if (numbers.at(-1) === frameCount - 1) break;
  }
  expect(numbers.length).toBeLessThan(frameCount / 2);
});
