// Runs on the embedded database: only that one runs in the gateway's process.
import { sharedGateway } from "../support/harness.js";

it("requests without the database are answered while a statement runs", async () => {
  const gateway = await sharedGateway();
  const order: string[] = [];
  const statement = gateway.prisma.$queryRaw`SELECT count(*) FROM generate_series(1, 1000000)`.then(() =>
    order.push("statement"),
  );
  for (let n = 0; n < 3; n += 1) order.push(`healthz ${(await gateway.fetch("/healthz")).status}`);
  await statement;
  expect(order).toEqual(["healthz 200", "healthz 200", "healthz 200", "statement"]);
});
