import { Differential } from "../fuzz/differential.js";
import { type Gateway, startGateway } from "../support/harness.js";

/** Prepares the comparison of answers on a demo for the tests of a file. */
export function differentialOfDemo(seed: number): () => Differential {
  let gateway: Gateway;
  let differential: Differential;
  beforeAll(async () => {
    // Signed links depend on the hour.
    const now = new Date();
    gateway = await startGateway({ seed: "demo", now: () => now, environment: { FEDERATION: "on" } });
    const { app, prisma, statements } = gateway;
    differential = await Differential.prepare({ app, prisma, statements, now }, seed);
  });
  afterAll(async () => {
    differential?.close();
    await gateway.close();
  });
  return () => differential;
}
