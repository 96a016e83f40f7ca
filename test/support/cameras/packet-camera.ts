import { execFile } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { ffmpegPath } from "./camera-programs.js";

/** How codecs are called in RTSP, encoded by ffmpeg, and where a frame begins in what that writes. */
const codecs = {
  H264: {
    encoder: "libx264 -preset ultrafast -bsf:v h264_metadata=aud=insert -f h264",
    begins: "0000000109",
  },
  H265: {
    encoder: "libx265 -preset ultrafast -x265-params log-level=none -bsf:v hevc_metadata=aud=insert -f hevc",
    begins: "0000000146",
  },
  "MP4V-ES": { encoder: "mpeg4 -f m4v", begins: "000001b6" },
} as const;

export type PacketCodec = keyof typeof codecs;

/** Some frames of a video, by default of ten pictures a second, each as the units that are sent. */
export type PacketFrames = readonly (readonly Buffer[])[];

/** Encodes a video. By default it is one group of pictures. */
export async function encodedFrames(
  codec: PacketCodec,
  { size = "320x180", rate = 10, count = 20, keyFrames = 20, source = "testsrc", options = "" } = {},
): Promise<PacketFrames> {
  const { encoder, begins } = codecs[codec];
  const input = `-v error -nostdin -f lavfi -i ${source}=size=${size}:rate=${rate} -frames:v ${count}`;
  const output = `-pix_fmt yuv420p -threads 1 -g ${keyFrames} ${options} -c:v ${encoder} pipe:1`;
  const { stdout } = await promisify(execFile)(ffmpegPath, `${input} ${output}`.split(" ").filter(Boolean), {
    encoding: "buffer",
    maxBuffer: 1e9,
  });
  const start = Buffer.from(begins, "hex");
  const positions: number[] = [];
  for (let at = stdout.indexOf(start); at >= 0; at = stdout.indexOf(start, at + 1)) positions.push(at);
  // What precedes the first frame of MPEG-4 belongs to it.
  positions[0] = 0;
  return positions.map((from, index) => {
    const frame = stdout.subarray(from, positions[index + 1]);
    return codec === "MP4V-ES" ? [frame] : unitsOf(frame);
  });
}

/** The units of a frame between their start codes. */
function unitsOf(frame: Buffer): Buffer[] {
  const units = frame.toString("latin1").split("\0\0\x01");
  return units
    .filter((unit) => !/^\0*$/.test(unit))
    .map((unit) => Buffer.from(unit.replace(/\0+$/, ""), "latin1"));
}

/** Sends a frame with a time of the camera's clock, in seconds. Resolves when there is room for the next one. */
export type SendFrame = (frame: readonly Buffer[], seconds: number) => Promise<void>;

/** What a camera sends from PLAY on. Sending fails when the client has left. */
export type Broadcast = (send: SendFrame) => Promise<void>;

/** Sends frames again and again, ten a second, by a clock that tells the seconds since the first one. */
export const sendSteadily =
  (frames: PacketFrames, clock: (seconds: number) => number = (seconds) => seconds): Broadcast =>
  async (send) => {
    for (let index = 0; ; index += 1) {
      await send(frames[index % frames.length] ?? [], clock(index / 10));
      await sleep(100);
    }
  };

/** A camera over RTSP that sends what a test wants. */
export class PacketCamera {
  /** How often its stream was opened. */
  openings = 0;
  readonly #codec: PacketCodec;
  readonly #broadcast: Broadcast;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  private constructor(codec: PacketCodec, broadcast: Broadcast) {
    this.#codec = codec;
    this.#broadcast = broadcast;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async start(codec: PacketCodec, broadcast: Broadcast): Promise<PacketCamera> {
    const camera = new PacketCamera(codec, broadcast);
    camera.#server.listen(0, "127.0.0.1");
    await once(camera.#server, "listening");
    return camera;
  }

  /** A camera that stops after the running test. */
  static async forTest(codec: PacketCodec, broadcast: Broadcast): Promise<PacketCamera> {
    const camera = await PacketCamera.start(codec, broadcast);
    onTestFinished(() => camera.stop());
    return camera;
  }

  get url(): string {
    return `rtsp://127.0.0.1:${(this.#server.address() as AddressInfo).port}/stream`;
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => {}).once("close", () => this.#sockets.delete(socket));
    let received = "";
    socket.setEncoding("latin1").on("data", (text: string) => {
      const requests = (received + text).split("\r\n\r\n");
      received = requests.pop() ?? "";
      for (const request of requests) this.#answer(socket, request);
    });
  }

  #answer(socket: Socket, request: string): void {
    const [method = ""] = request.replace(/^\$[^A-Z]*/s, "").split(" ");
    const body =
      method === "DESCRIBE"
        ? `v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=Camera\r\nt=0 0\r\nm=video 0 RTP/AVP 96\r\na=rtpmap:96 ${this.#codec}/90000\r\na=control:stream=0\r\n`
        : "";
    const lines = [
      "RTSP/1.0 200 OK",
      `CSeq: ${/^CSeq: *(\d+)/im.exec(request)?.[1] ?? "0"}`,
      "Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN",
      "Session: 1",
      "Transport: RTP/AVP/TCP;unicast;interleaved=0-1",
      ...(body ? ["Content-Type: application/sdp", `Content-Length: ${body.length}`] : []),
    ];
    socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`);
    if (method === "TEARDOWN") socket.end();
    if (method !== "PLAY") return;
    this.openings += 1;
    this.#broadcast(this.#sender(socket)).catch((error) => {
      if (!socket.destroyed) socket.destroy(error);
    });
  }

  #sender(socket: Socket): SendFrame {
    let number = 0;
    return async (frame, seconds) => {
      if (!socket.writable) throw new Error("The client has left");
      const packets = frame.map((unit, index) => {
        const head = Buffer.alloc(16);
        head.write("$", "latin1");
        head.writeUInt16BE(unit.length + 12, 2);
        head.writeUInt16BE(0x8060 | (index === frame.length - 1 ? 0x80 : 0), 4);
        head.writeUInt16BE(number++ & 0xffff, 6);
        head.writeUInt32BE(Math.floor(seconds * 90_000) % 2 ** 32, 8);
        return Buffer.concat([head, unit]);
      });
      if (!socket.write(Buffer.concat(packets))) await once(socket, "drain");
    };
  }
}
