// Needs no gateway.
import { FeedClient } from "../../src/features/camera-feed/feed-client.js";
import { createLog } from "../../src/platform/telemetry/log.js";
import { ffmpegPath } from "../support/cameras/camera-programs.js";
import { HostileServer, hostileAnswers } from "../support/hostile-answers.js";
import { uncaughtErrors } from "../support/uncaught-errors.js";
import { askProxy, openStream, RelayClient } from "./relay-client.js";
import { cameraAddress, cameraNetworks } from "./scripted-server.js";
import { hasFfmpeg } from "./switched-camera.js";

const uncaught = uncaughtErrors();

const camera = await HostileServer.start(cameraAddress);
afterAll(() => camera.stop());

const isFine = { status: 200, text: "fine" };

it.each(hostileAnswers)(
  "other streams are not harmed by a camera that answers with %s",
  async (_what, answer) => {
    camera.answer = answer;
    const http = await openStream(`http://${camera.host}/live.m3u8`);
    const answered = camera.answered();
    askProxy(http).catch(() => undefined);
    await answered;
    // By the time of this answer, all of the other has been read.
    expect(await askProxy(http, "/fine")).toMatchObject(isFine);
    // Over a connection that has been used before.
    askProxy(http).catch(() => undefined);
    await camera.answered();
    expect(await askProxy(http, "/fine")).toMatchObject(isFine);
    for (const scheme of ["rtsp", "rtmp"]) {
      const stream = await openStream(`${scheme}://${camera.host}/live`);
      const client = await RelayClient.connect(stream);
      client.socket.write(`DESCRIBE ${stream.url} RTSP/1.0\r\nCSeq: 1\r\n\r\n`);
      await camera.answered();
      await stream.close();
      await client.ended();
    }
    expect(uncaught).toEqual([]);
  },
);

describe.runIf(hasFfmpeg)("the process that opens streams", () => {
  const lines: string[] = [];
  const feed = new FeedClient({
    ffmpegPath,
    allowedNetworks: cameraNetworks,
    loopbackPorts: [],
    concurrency: 4,
    variables: process.env,
    log: createLog("warn", { write: (line) => void lines.push(line) }),
  });
  afterAll(() => feed.close());

  it.each([
    ["204 and a letter", "UNKNOWN"],
    ["all of a body and a letter", "NO_VIDEO"],
    ["a redirect and a letter", "CAMERA_ERROR"],
    ["a chunk size that is none", "UNKNOWN"],
    ["headers without end", "UNSUPPORTED"],
    ["101 to another protocol", "UNSUPPORTED"],
    ["a reset", "REFUSED"],
  ])("tells a camera that answers with %s by the code %s", async (what, code) => {
    camera.answer = hostileAnswers.find(([name]) => name === what)?.[1] as (typeof camera)["answer"];
    const { signal } = new AbortController();
    const picture = feed.takePicture(`http://${camera.host}/live.m3u8`, signal, false);
    await expect(picture).rejects.toMatchObject({ code });
    expect(lines).toEqual([]);
  });
});
