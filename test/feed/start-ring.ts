import { FeedClient } from "../../src/features/camera-feed/feed-client.js";
import { createLog } from "../../src/platform/telemetry/log.js";
import { ffmpegPath } from "../support/cameras/camera-programs.js";

// Opens the ring of a stream, says so, and keeps it until it is ended.
const [, , url = "", directory = ""] = process.argv;
const feed = new FeedClient({
  ffmpegPath,
  allowedNetworks: ["127.0.0.0/8"],
  loopbackPorts: [],
  concurrency: 1,
  variables: process.env,
  log: createLog("silent"),
});
await feed.openRing({ url }, { seconds: 20, maxBytes: 1e7, directory }, new AbortController().signal);
process.stdout.write("open\n");
