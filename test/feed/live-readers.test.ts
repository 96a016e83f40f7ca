// Needs no gateway.

import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Registry } from "prom-client";
import { FeedError } from "../../src/features/camera-feed/feed-error.js";
import { type LiveLimits, LiveReaders } from "../../src/features/camera-feed/live/live-readers.js";
import { eventually } from "../support/eventually.js";
import { listOf } from "../support/list-of.js";
import { StreamSource, streamOf, viewerOf } from "./stream-source.js";

function setUp(limits: Partial<LiveLimits> = {}) {
  const source = new StreamSource();
  const registry = new Registry();
  const readers = new LiveReaders(source.readFrames, registry, { lingerMs: 0, ...limits });
  const left = new AbortController();
  setMaxListeners(0, left.signal);
  const watch = (cameraId: string, viewer = viewerOf("viewer"), signal = left.signal) =>
    readers.watch(streamOf(cameraId), viewer, signal);
  return { source, readers, registry, watch, left };
}

const textOf = async (next: Promise<IteratorResult<Buffer>>) => String((await next).value);

describe("a stream in live view", () => {
  it("is read once, however many view it", async () => {
    const { source, watch, registry, readers } = setUp();
    const views = listOf(20, (index) => watch("gate", viewerOf(`viewer ${index}`)));
    const first = views.map((view) => textOf(view.next()));
    await source.send("gate", "frame 1");
    expect(new Set(await Promise.all(first))).toEqual(new Set(["frame 1"]));
    expect(source.opened).toEqual(["rtsp://host/gate"]);
    expect(await registry.metrics()).toMatch(/gateway_live_readers 1\n[\s\S]*gateway_live_viewers 20\n/);
    await readers.close();
  });

  it("goes on for others when one leaves, and ends after the last", async () => {
    const { source, watch } = setUp();
    const [stays, leaves] = [new AbortController(), new AbortController()];
    const staying = watch("gate", viewerOf("one"), stays.signal);
    const leaving = watch("gate", viewerOf("two"), leaves.signal);
    const both = [textOf(staying.next()), textOf(leaving.next())];
    await source.send("gate", "frame 1");
    await Promise.all(both);
    const next = textOf(staying.next());
    const none = leaving.next();
    leaves.abort();
    await expect(none).rejects.toThrow("aborted");
    await source.send("gate", "frame 2");
    expect(await next).toBe("frame 2");
    const last = staying.next();
    stays.abort();
    await expect(last).rejects.toThrow("aborted");
    await eventually(
      async () => source.open,
      (open) => open.length === 0,
    );
  });

  it("is read on for a while without viewers, and not opened anew for who comes back", async () => {
    const { source, watch, readers } = setUp({ lingerMs: 60_000 });
    const view = watch("gate");
    const first = view.next();
    await source.send("gate", "frame 1");
    await first;
    await view.return(undefined as never);
    // Timers end in turn: one of no time for the stream would have ended before.
    await sleep(1);
    expect(source.open).toHaveLength(1);
    const again = watch("gate");
    expect(await textOf(again.next())).toBe("frame 1");
    expect(source.opened).toHaveLength(1);
    await readers.close();
  });

  it("leaves out what came while a viewer was busy", async () => {
    const { source, watch, readers } = setUp();
    const [slow, fast] = [watch("gate"), watch("gate")];
    const first = [slow.next(), fast.next()];
    await source.send("gate", "frame 1");
    await Promise.all(first);
    for (const frame of ["frame 2", "frame 3"]) {
      const next = textOf(fast.next());
      await source.send("gate", frame);
      expect(await next).toBe(frame);
    }
    expect(await textOf(slow.next())).toBe("frame 3");
    await readers.close();
  });

  it("fails for all viewers with what ends it, and is opened anew by the next", async () => {
    const { source, watch, readers } = setUp();
    const views = [watch("gate"), watch("gate", viewerOf("other"))].map((view) => view.next());
    await source.send("gate", new FeedError("TIMEOUT"));
    for (const view of views) await expect(view).rejects.toThrow(FeedError);
    const again = watch("gate").next();
    await source.send("gate", "frame 1");
    expect(await textOf(again)).toBe("frame 1");
    expect(source.opened).toHaveLength(2);
    await readers.close();
  });

  it("goes on for its viewers when it is opened again after it has ended", async () => {
    const { source, watch, readers } = setUp();
    const view = watch("gate");
    const first = textOf(view.next());
    await source.send("gate", "frame 1");
    await first;
    const next = textOf(view.next());
    await source.send("gate", new FeedError("UNKNOWN"));
    await source.send("gate", "frame of another size");
    expect(await next).toBe("frame of another size");
    expect(source.opened).toHaveLength(2);
    await readers.close();
  });

  it("is opened again a few times at most, if it always ends soon", async () => {
    const restarts = { max: 2, steadyMs: 60_000, outageMs: 60_000, firstMs: 1, maxMs: 1 };
    const { source, watch } = setUp({ restarts });
    const view = watch("gate");
    const first = view.next();
    await source.send("gate", "frame 1");
    await first;
    const refused = expect(view.next()).rejects.toThrow(FeedError);
    for (const _opening of [1, 2, 3]) await source.send("gate", new FeedError("UNKNOWN"));
    await refused;
    expect(source.opened).toHaveLength(3);
  });

  it("is not opened again with a password that the camera has refused", async () => {
    const { source, watch } = setUp();
    const view = watch("gate");
    const first = view.next();
    await source.send("gate", "frame 1");
    await first;
    const refused = expect(view.next()).rejects.toMatchObject({ code: "UNAUTHORIZED" });
    await source.send("gate", new FeedError("UNAUTHORIZED"));
    await refused;
    expect(source.opened).toHaveLength(1);
  });

  it("ends for all when the gateway closes, and is not opened after that", async () => {
    const { source, watch, readers } = setUp();
    const view = watch("gate").next();
    const refused = expect(view).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await readers.close();
    await refused;
    expect(source.open).toEqual([]);
    await expect(watch("gate").next()).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });
});

describe("the number of live views is limited", () => {
  const readers = { total: 3, perWorkspace: 2, perCaller: 1 };
  const refusals = [
    { who: viewerOf("one"), code: "RATE_LIMITED", message: /^You have/ },
    { who: viewerOf("three"), code: "RATE_LIMITED", message: /^Your workspace has/ },
    { who: viewerOf("five", "third"), code: "UNAVAILABLE", message: /^There are/ },
  ];

  it.each(refusals)("of cameras: $code for $who.id", async ({ who, code, message }) => {
    const { watch, readers: all } = setUp({ readers });
    const views = [viewerOf("one"), viewerOf("two"), viewerOf("four", "second")].map((viewer, index) =>
      watch(`camera ${index}`, viewer).next(),
    );
    const headers = { "retry-after": "10" };
    await expect(watch("another", who).next()).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
      headers,
    });
    const ended = Promise.allSettled(views);
    await all.close();
    await ended;
  });

  it.each(refusals)("of viewers: $code for $who.id", async ({ who, code, message }) => {
    const { watch, readers: all } = setUp({ viewers: readers });
    const views = [viewerOf("one"), viewerOf("two"), viewerOf("four", "second")].map((viewer) =>
      watch("gate", viewer).next(),
    );
    await expect(watch("gate", who).next()).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
    const ended = Promise.allSettled(views);
    await all.close();
    await ended;
  });

  it("does not count a stream that nobody views any more: it ends first", async () => {
    const { source, watch, readers: all } = setUp({ readers, lingerMs: 60_000 });
    const left = watch("gate");
    const first = left.next();
    await source.send("gate", "frame 1");
    await first;
    await left.return(undefined as never);
    const next = watch("yard").next();
    await source.send("yard", "frame 1");
    expect(await textOf(next)).toBe("frame 1");
    expect(source.open).toEqual(["rtsp://host/yard"]);
    await all.close();
  });
});
