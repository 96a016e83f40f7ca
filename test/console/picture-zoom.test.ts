// Needs no gateway.
import { enlarged, moved, wholePicture } from "../../src/console/picture/zoom.js";

const center = { x: 0.5, y: 0.5 };

it("enlarging keeps what is at the pointer where it is", () => {
  const at = { x: 0.25, y: 0.75 };
  const zoom = enlarged(enlarged(wholePicture, 2, at), 1.5, at);
  expect(zoom.scale).toBe(3);
  // The point of the whole picture that is now at the pointer.
  expect([(at.x - zoom.x) / zoom.scale, (at.y - zoom.y) / zoom.scale]).toEqual([0.25, 0.75]);
});

it("a picture is enlarged eightfold at most, and never smaller than its frame", () => {
  expect(enlarged(wholePicture, 100, center).scale).toBe(8);
  expect(enlarged(enlarged(wholePicture, 2, center), 0.1, { x: 0, y: 0 })).toEqual(wholePicture);
});

it("a picture is moved until its edges, and the frame stays filled", () => {
  const zoom = enlarged(wholePicture, 2, center);
  expect(moved(zoom, { x: 0.25, y: -0.125 })).toEqual({ scale: 2, x: -0.25, y: -0.625 });
  expect(moved(zoom, { x: 9, y: 9 })).toEqual({ scale: 2, x: 0, y: 0 });
  expect(moved(zoom, { x: -9, y: -9 })).toEqual({ scale: 2, x: -1, y: -1 });
  expect(moved(wholePicture, { x: 0.5, y: 0.5 })).toEqual(wholePicture);
});
