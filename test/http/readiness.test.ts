// Runs once: no database can influence what is tested here.
import { mkdir, readdir, rmdir } from "node:fs/promises";
import path from "node:path";
import { dataForTest, gatewayOn } from "../support/harness.js";

it("/readyz is 503 while DATA_DIR cannot be written, and leaves nothing there", async () => {
  const { DATA_DIR = "", ...variables } = await dataForTest();
  const gateway = await gatewayOn({ ...variables, DATA_DIR, SEED: "none" });
  const ready = async () => {
    const response = await gateway.fetch("/readyz");
    const { message } = (await response.json()) as { message?: string };
    return { status: response.status, retryAfter: response.headers.get("retry-after"), message };
  };
  const later = performance.now.bind(performance);
  let skipped = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => later() + skipped);
  try {
    expect(await ready()).toMatchObject({ status: 200 });
    expect(await readdir(DATA_DIR)).not.toContain("writable");
    // In the place of the file that is written, a directory fails like a full disk.
    await mkdir(path.join(DATA_DIR, "writable"));
    skipped += 6_000;
    await vi.waitFor(
      async () =>
        expect(await ready()).toEqual({
          status: 503,
          retryAfter: "5",
          message: "Not ready: DATA_DIR cannot be written",
        }),
      { timeout: 5_000 },
    );
    expect((await gateway.fetch("/healthz")).status).toBe(200);
    await rmdir(path.join(DATA_DIR, "writable"));
    expect(await ready()).toMatchObject({ status: 503 });
    skipped += 6_000;
    expect(await ready()).toMatchObject({ status: 200 });
  } finally {
    clock.mockRestore();
    await gateway.close();
  }
});
