// Needs no gateway.

import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import express from "express";
import { parseJsonBody } from "../../src/engine/http/json-body.js";
import { listenForTest } from "../support/listening.js";

const senders = 20;
const body = JSON.stringify({ text: "x".repeat(20_000) });

/**
 * The iterations of the event loop in which many bodies are parsed. All begin in the same
 * iteration.
 */
async function iterationsOfParsing(): Promise<number[]> {
  const iterations: number[] = [];
  let iteration = 0;
  let timer = setImmediate(function next() {
    iteration += 1;
    timer = setImmediate(next);
  });
  let arrived = 0;
  const arrivals = new EventEmitter();
  const allHere = once(arrivals, "all");
  const app = express().use(async (request, response) => {
    arrived += 1;
    if (arrived === senders) arrivals.emit("all");
    await allHere;
    await parseJsonBody(request, response, { limit: "graphql", owner: "one" });
    iterations.push(iteration);
    response.json(request.body);
  });
  onTestFinished(() => clearImmediate(timer));
  const url = `http://127.0.0.1:${await listenForTest(createServer(app))}`;
  const send = async () => {
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    return answer.text();
  };
  const answers = await Promise.all(Array.from({ length: senders }, send));
  expect(answers).toEqual(Array(senders).fill(body));
  return iterations;
}

it("large bodies that arrive together are parsed in several iterations of the event loop, so that others are served in between", async () => {
  const iterations = await iterationsOfParsing();
  for (const each of new Set(iterations))
    expect(iterations.filter((iteration) => iteration === each).length).toBeLessThanOrEqual(6);
});
