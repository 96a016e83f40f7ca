// Runs once: no database can influence what is tested here.
// Takes long: it reads streams of cameras with ffmpeg.
import { StreamCapture } from "../../src/features/camera-feed/capture/stream-capture.js";
import { StreamRelays } from "../../src/features/camera-feed/relays/stream-relay.js";
import { ffmpegPath, missingCameraPackages } from "../support/cameras/camera-programs.js";
import { type Quirk, QuirkyCamera } from "../support/cameras/quirky-camera.js";
import { cameraAccount, cameraUser, RtspServer } from "../support/cameras/rtsp-server.js";
import { outcomesOf } from "./stream-outcomes.js";

const relays = new StreamRelays({ allowedNetworks: ["127.0.0.0/8"] });
// On a busy machine, ffmpeg takes its time.
const capture = new StreamCapture({ ffmpegPath, relays, times: { limit: 60_000 } });

const skipped =
  missingCameraPackages.length > 0 ? `, skipped without ${missingCameraPackages.join(", ")}` : "";

/** Answers requests of some methods otherwise, and others as they are. */
const answering =
  (...changes: [method: string | RegExp, answer: string][]): Quirk =>
  (answer, { text }) => {
    const [, start] = changes.find(([sign]) => new RegExp(sign).test(text)) ?? [];
    return start === undefined ? answer : `RTSP/1.0 ${start}\r\n${/^CSeq:.*$/im.exec(answer)?.[0]}\r\n\r\n`;
  };

/** Sound that the server does not have. */
const sound = "m=audio 0 RTP/AVP 8\r\na=rtpmap:8 PCMA/8000\r\na=control:sound\r\n";
const announcing =
  (announce: (description: string) => string, quirk: Quirk = (answer) => answer): Quirk =>
  (answer, request) =>
    quirk(request.method === "DESCRIBE" ? announce(answer) : answer, request);
const soundFirst = (answer: string) => answer.replace("m=video", `${sound}m=video`);

const closing =
  (method: string, quirk: Quirk = (answer) => answer): Quirk =>
  (answer, request) => {
    const changed = quirk(answer, request) as string;
    return request.method === method ? { answer: changed, closes: true } : changed;
  };

describe.skipIf(skipped)(`cameras that do as they like${skipped}`, () => {
  let rtsp: RtspServer;

  beforeAll(async () => {
    rtsp = await RtspServer.start();
  });
  afterAll(() => rtsp?.stop());

  const seen = [
    expect.objectContaining({ width: 320, height: 180 }),
    expect.objectContaining({ width: 320 }),
  ];

  async function start(quirk: Quirk, authentication: "open" | "digest" | "basic" = "open") {
    const camera = await QuirkyCamera.start(rtsp.port(authentication), quirk);
    onTestFinished(() => camera.stop());
    return camera;
  }

  it.each<[string, Quirk]>([
    ["404", answering(["OPTIONS", "404 Stream Not Found"])],
    ["401, though it asks nobody else", answering(["OPTIONS", "401 Unauthorized"])],
    ["400 and hangs up", closing("OPTIONS", answering(["OPTIONS", "400 Bad Request"]))],
    ["200 and hangs up", closing("OPTIONS")],
    [
      "nothing and hangs up",
      (answer, { method }) => (method === "OPTIONS" ? { answer: "", closes: true } : answer),
    ],
    ["without methods", (answer) => answer.replace(/^Public:.*\r\n/im, "")],
  ])("a camera that answers OPTIONS with %s shows its picture", async (_what, quirk) => {
    const camera = await start(quirk);
    expect(await outcomesOf(capture, camera.url("h264"))).toEqual(seen);
  });

  it.each<[string, Quirk]>([
    ["comes first and is refused", announcing(soundFirst, answering([/^SETUP \S*sound/, "461 Unsupported"]))],
    ["is a second picture that is refused", announcing((answer) => answer + sound.replace("audio", "video"))],
  ])("sound that %s costs no picture, and nobody asks for it", async (_what, quirk) => {
    const camera = await start(quirk);
    expect(await outcomesOf(capture, camera.url("h264"))).toEqual(seen);
    expect(camera.requests.filter((request) => /^SETUP \S*sound/.test(request))).toEqual([]);
    expect(camera.methods.filter((method) => method === "SETUP")).toHaveLength(2);
  });

  it("only the picture of a camera with sound is set up, also where sound comes first", async () => {
    const camera = await start((answer) => answer);
    for (const path of ["with-audio", "audio-first"]) {
      const before = camera.requests.length;
      expect(await outcomesOf(capture, camera.url(path))).toEqual(seen);
      expect(camera.methods.slice(before).filter((method) => method === "SETUP")).toHaveLength(2);
    }
  });

  const md5 = (answer: string) => /^WWW-Authenticate: *(Digest .*)$/im.exec(answer)?.[1] ?? "";
  const sha256 = (answer: string) =>
    `${md5(answer).replace(/algorithm=[^,\s]*,? */i, "")}, algorithm=SHA-256`.replace(/, *,/g, ",");
  const offering =
    (offer: (answer: string) => string): Quirk =>
    (answer) =>
      answer.replace(/^WWW-Authenticate:.*$/im, () => offer(answer));

  it.each<[string, Quirk]>([
    ["SHA-256 before MD5", offering((a) => `WWW-Authenticate: ${sha256(a)}\r\nWWW-Authenticate: ${md5(a)}`)],
    ["a hang-up after it", (answer) => (answer.includes(" 401 ") ? { answer, closes: true } : answer)],
  ])("a camera that offers Digest with %s learns who asks", async (_what, quirk) => {
    const camera = await start(quirk, "digest");
    expect(await outcomesOf(capture, camera.url("h264", `${cameraAccount}@`))).toEqual(seen);
  });

  it.each(["digest", "basic"] as const)("a wrong password is tried once, with %s", async (authentication) => {
    const camera = await start((answer) => answer, authentication);
    const refused = capture.takePicture(
      camera.url("h264", `${cameraUser}:wrong@`),
      new AbortController().signal,
    );
    await expect(refused).rejects.toMatchObject({ code: "UNAUTHORIZED" });
    expect(camera.requests.filter((request) => /^Authorization:/im.test(request))).toHaveLength(1);
  });

  it.each<[string, Quirk]>([
    [
      "writes headers in lower case",
      (answer) => answer.replace(/^[\w-]+(?=:)/gm, (name) => name.toLowerCase()),
    ],
    ["names no base", (answer) => answer.replace(/^Content-Base:.*\r\n/im, "")],
    ["names a path as base", (answer) => answer.replace(/^Content-Base:.*$/im, "Content-Base: /h264/")],
    ["has an empty base", (answer) => answer.replace(/^Content-Base:.*$/im, "Content-Base:")],
    [
      "names itself by an address of its own",
      (answer) =>
        answer.replace(/^(Content-Base|a=control): *rtsp:\/\/[^/]*/gim, "$1: rtsp://192.168.1.64:554"),
    ],
    [
      "has tracks with addresses of its own",
      (answer) => answer.replace(/^a=control:stream=0/im, "a=control:rtsp://192.168.1.64:554/h264/stream=0"),
    ],
    ["says that all are controlled", (answer) => answer.replace(/^t=.*$/im, "$&\r\na=control:*")],
    ["ends sessions soon", (answer) => answer.replace(/^(Session: *[^;\r]*).*$/im, "$1;timeout=2")],
  ])("a camera that %s shows its picture", async (_what, quirk) => {
    const camera = await start(quirk);
    expect(await outcomesOf(capture, camera.url("h264"))).toEqual(seen);
  });
});
