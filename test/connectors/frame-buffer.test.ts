// Needs no gateway.
import { FrameBuffer } from "../../src/programs/connectors/mqtt/frame-buffer.js";

it("drops the oldest frames beyond its bytes, however few they are", () => {
  const dropped: number[] = [];
  const buffer = new FrameBuffer({ frames: 100, bytes: 1000 }, (count) => dropped.push(count));
  for (const camera of ["gate", "door", "yard"])
    buffer.push({ camera, text: "x".repeat(300), values: 1, objects: 1 });
  expect(buffer.bytes).toBeLessThanOrEqual(1000);
  expect(dropped).toEqual([1]);
  expect(buffer.takeAll().map(({ camera }) => camera)).toEqual(["door", "yard"]);
});
