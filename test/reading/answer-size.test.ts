// Needs no gateway.
import { AnswerSize, maxAnswerBytes } from "../../src/engine/reading/answer-size.js";

/** More than half of the limit of an answer. */
const bytes = 0.6 * maxAnswerBytes;
const objects = bytes / 40;

it("an answer that is executed again in another way counts only its own objects, cost and reads, not the discarded ones", () => {
  const size = new AnswerSize();
  const cost = () => {
    size.add(bytes);
    size.addObjects(objects);
    return size.addCost(3);
  };
  expect(cost()).toBe(3);
  size.clear();
  size.restart();
  expect(cost()).toBe(3);
});

it("kept data is not read again, and still counts", () => {
  const size = new AnswerSize();
  size.add(bytes);
  size.restart();
  expect(() => size.add(bytes)).toThrow("16 MiB");
});

it("listed objects count until the answer is executed in another way, whatever was discarded", () => {
  const size = new AnswerSize();
  size.addObjects(objects);
  size.clear();
  expect(() => size.addObjects(objects)).toThrow("16 MiB");
});
