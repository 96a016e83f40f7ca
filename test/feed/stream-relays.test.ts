// Needs no gateway.
import { StreamRelays } from "../../src/features/camera-feed/relays/stream-relay.js";

const relays = new StreamRelays({ allowedNetworks: [] });

it.each([
  "file:///etc/passwd",
  "concat:http://camera/",
  "ftp://camera/",
  "pipe:0",
  "camera",
  "",
  "rtsp://",
  "rtsp://user@/live",
  "rtsp://camera:0/live",
  "rtsp://camera:65536/live",
  "rtsp://camera:port/live",
  "rtsp://cam\\era/live",
  "http://evil\\@camera/live",
  "rtsp://[::1/live",
  "rtsp://[fe80::1%25lo]/live",
  "rtsp://[camera]/live",
  "rtsp://cam%65ra/live",
  "rtsp://camera/li ve",
  "rtsp://camera/live\nfile '/etc/passwd'",
  "rtsp://camera/live\0",
  "rtsp://camera/\ud800",
  "rtsp://camera/live#pass@word",
  `rtsp://camera/${"x".repeat(2048)}`,
])("%j is opened by no relay", async (url) => {
  await expect(relays.open(url)).rejects.toMatchObject({ code: "UNSUPPORTED" });
});
