// Needs no gateway.
import { readFrames } from "../../src/console/camera/live-frames.js";

const part = (frame: string) =>
  `content-type: image/jpeg\r\ncontent-length: ${frame.length}\r\n\r\n${frame}\r\n--frame\r\n`;

async function framesOf(pieces: readonly string[]): Promise<string[]> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });
  const frames: string[] = [];
  for await (const frame of readFrames(body)) frames.push(await frame.text());
  return frames;
}

const frames = ["one", "two\r\n\r\n--frame\r\n", "", "three"];
const whole = `--frame\r\n${frames.map(part).join("")}`;

it("frames are read however the body is cut, whatever they contain", async () => {
  expect(await framesOf([whole])).toEqual(frames);
  expect(await framesOf([...whole])).toEqual(frames);
  for (let at = 0; at <= whole.length; at += 7)
    expect(await framesOf([whole.slice(0, at), whole.slice(at)])).toEqual(frames);
});

it("a frame that is not complete is left out", async () => {
  expect(await framesOf([`--frame\r\n${part("one")}${part("two").slice(0, -14)}`])).toEqual(["one"]);
});

it("a part without a length, or with one that no frame has, is refused", async () => {
  await expect(framesOf(["--frame\r\ncontent-type: image/jpeg\r\n\r\n"])).rejects.toThrow("without a length");
  await expect(framesOf(["--frame\r\ncontent-length: 99999999\r\n\r\n"])).rejects.toThrow("without a length");
});
