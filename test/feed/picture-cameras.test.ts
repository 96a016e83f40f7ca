// Runs once: no database can influence what is tested here.
// Takes long: it reads streams of cameras with ffmpeg.
import { createServer, type RequestListener } from "node:http";
import sharp from "sharp";
import { StreamCapture } from "../../src/features/camera-feed/capture/stream-capture.js";
import { StreamRelays } from "../../src/features/camera-feed/relays/stream-relay.js";
import { ffmpegPath } from "../support/cameras/camera-programs.js";
import { eventually } from "../support/eventually.js";
import { listenForTest } from "../support/listening.js";
import { cameraAddress, cameraNetworks } from "./scripted-server.js";
import { liveOutcomeOf, outcomesOf } from "./stream-outcomes.js";
import { hasFfmpeg } from "./switched-camera.js";

const captureWith = (times: { limit: number; silence: number }) =>
  new StreamCapture({
    ffmpegPath,
    relays: new StreamRelays({ allowedNetworks: cameraNetworks }),
    times,
  });
// On a busy machine, ffmpeg takes its time.
const capture = captureWith({ limit: 60_000, silence: 10_000 });
const background = "#3366cc";
const jpeg = await sharp({ create: { width: 320, height: 180, channels: 3, background } })
  .jpeg()
  .toBuffer();
const seen = [
  expect.objectContaining({ codec_name: "mjpeg", width: 320, height: 180 }),
  expect.objectContaining({ width: 320, height: 180 }),
];

/** The URL of a camera of the running test. */
async function cameraWith(answer: RequestListener): Promise<string> {
  return `http://operator:word@${cameraAddress}:${await listenForTest(createServer(answer), cameraAddress)}/now`;
}

/** A camera that sends a part ten times a second, until its client leaves. */
const sending =
  (contentType: string, part: (string | Buffer)[]): RequestListener =>
  (_request, response) => {
    response.writeHead(200, { "content-type": contentType });
    const timer = setInterval(
      () => response.write(Buffer.concat(part.map((each) => Buffer.from(each)))),
      100,
    );
    response.once("close", () => clearInterval(timer));
  };
const length = `Content-Length: ${jpeg.length}`;

/** A camera that answers each request by one picture, or what comes in its place. */
const answering =
  (...answers: [status: number, body: string | Buffer][]): RequestListener =>
  (_request, response) => {
    const [status, body] = (answers.length > 1 ? answers.shift() : answers[0]) as (typeof answers)[0];
    response.writeHead(status, { "content-type": "image/jpeg" }).end(body);
  };

describe.skipIf(!hasFfmpeg)("cameras that send pictures over HTTP", () => {
  it.each<[string, RequestListener]>([
    [
      "with their lengths",
      sending("multipart/x-mixed-replace; boundary=next", [
        `--next\r\nContent-Type: image/jpeg\r\n${length}\r\n\r\n`,
        jpeg,
        "\r\n",
      ]),
    ],
    [
      "without lengths, with a boundary in quotes that has its dashes",
      sending('multipart/x-mixed-replace;boundary="--next"', [
        "--next\r\nContent-Type: image/jpg\r\n\r\n",
        jpeg,
        "\r\n",
      ]),
    ],
    [
      "with text between them, and the line ends of Unix",
      sending("Multipart/Mixed; boundary=next", [
        "--next\nContent-Type: text/plain\nContent-Length: 6\n\nMotion\n",
        `--next\nContent-Type: image/jpeg\n${length}\n\n`,
        jpeg,
        "\n",
      ]),
    ],
    [
      "without naming a boundary",
      sending("multipart/x-mixed-replace", ["--x\r\nContent-Type: image/jpeg\r\n\r\n", jpeg, "\r\n"]),
    ],
    ["one by one", answering([200, jpeg])],
  ])("metadata, a picture and a live view are read from pictures %s", async (_form, answer) => {
    const url = await cameraWith(answer);
    expect(await outcomesOf(capture, url)).toEqual(seen);
    expect(await liveOutcomeOf(capture, url)).toBeUndefined();
  });

  it("a camera is asked for a few pictures alone until one is taken", async () => {
    let asked = 0;
    const answer = answering([200, jpeg]);
    const url = await cameraWith((request, response) => {
      asked += 1;
      answer(request, response);
    });
    await capture.takePicture(url, new AbortController().signal);
    expect(asked).toBeLessThan(20);
  });

  it("a live view asks for a picture twice a second at most, and no more once it was left", async () => {
    const asked: number[] = [];
    const server = createServer((_request, response) => {
      asked.push(performance.now());
      response.end(jpeg);
    });
    const url = `http://${cameraAddress}:${await listenForTest(server, cameraAddress)}/now`;
    let frames = 0;
    for await (const _frame of capture.readFrames(url, new AbortController().signal))
      if (++frames === 4) break;
    const [first = 0, , , fourth = 0] = asked;
    expect(fourth - first).toBeGreaterThan(1_400);
    const connections = () =>
      new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));
    await eventually(connections, (count) => count === 0);
  });

  it("a live view has the frames of a slow camera as they come", async () => {
    const url = await cameraWith(
      sending("multipart/x-mixed-replace; boundary=next", [`--next\r\n${length}\r\n\r\n`, jpeg, "\r\n"]),
    );
    let frames = 0;
    const startedAt = performance.now();
    for await (const _frame of capture.readFrames(url, new AbortController().signal))
      if (++frames === 6) break;
    expect(performance.now() - startedAt).toBeGreaterThan(900);
  });

  it.each<[string, string, RequestListener]>([
    ["UNAUTHORIZED", "refuses the password", answering([401, ""])],
    ["NOT_FOUND", "has no such path", answering([404, ""])],
    ["CAMERA_ERROR", "has an error", answering([503, ""])],
    ["NO_VIDEO", "sends a page", answering([200, "<html>".repeat(100)])],
    [
      "NO_VIDEO",
      "ends without a picture",
      (_request, response) => {
        response.writeHead(200, { "content-type": "multipart/x-mixed-replace" }).end("--x\r\n");
      },
    ],
    [
      "TOO_LARGE",
      "sends a picture of 11 MiB",
      answering([200, Buffer.concat([jpeg, Buffer.alloc(11 << 20)])]),
    ],
    [
      "TOO_LARGE",
      "announces a picture of 11 MiB",
      sending("multipart/x; boundary=x", [`--x\r\nContent-Length: ${11 << 20}\r\n\r\n`, jpeg]),
    ],
    [
      "TOO_LARGE",
      "sends a picture without end",
      (_request, response) => {
        response.writeHead(200, { "content-type": "multipart/x; boundary=x" }).write(jpeg);
        const more = () => {
          while (!response.closed && response.write(Buffer.alloc(1 << 20)));
        };
        response.on("drain", more);
        more();
      },
    ],
    [
      "ADDRESS_NOT_ALLOWED",
      "leads elsewhere",
      (_request, response) => {
        response.writeHead(302, { location: "http://127.0.0.1/now" }).end();
      },
    ],
  ])("%s: a camera that %s", async (code, _what, answer) => {
    const url = await cameraWith(answer);
    expect([...(await outcomesOf(capture, url)), await liveOutcomeOf(capture, url)]).toEqual([
      code,
      code,
      code,
    ]);
  });

  it("a camera that begins and sends no picture is a TIMEOUT", async () => {
    const url = await cameraWith(sending("multipart/x-mixed-replace", ["--x\r\n"]));
    const hasty = captureWith({ limit: 3_000, silence: 1_500 });
    expect(await outcomesOf(hasty, url)).toEqual(["TIMEOUT", "TIMEOUT"]);
  });

  it("a live view ends by why there is no further picture", async () => {
    const url = await cameraWith(answering([200, jpeg], [404, ""]));
    const read = async () => {
      for await (const frame of capture.readFrames(url, new AbortController().signal)) void frame;
    };
    await expect(read()).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});
