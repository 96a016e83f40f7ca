// Runs once: both kinds of databases run the same statements.
// Takes long: it starts processes.
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { readDataSettings } from "../../src/engine/settings/commands.js";
import { keepObjects, reserveObjects, scheduleRemoval } from "../../src/engine/storage/object-removal.js";
import { checkStore, type StoreDifference } from "../../src/engine/storage/store-check.js";
import { TemporaryFiles } from "../../src/engine/storage/temporary-files.js";
import type { Prisma } from "../../src/generated/prisma/client.js";
import { Recorder } from "../ingestion/recorder.js";
import { createAlerts } from "../support/factories.js";
import type { Gateway } from "../support/harness.js";
import { filesBelow, openStore, type StoreUnderTest, storeKinds } from "../support/object-store.js";
import { runCommand } from "../support/running-command.js";
import { TestSite } from "../support/test-site.js";
import { storePictures } from "./stored-pictures.js";

const firstId = "00000000-0000-0000-0000-000000000000";
const picture = Buffer.from("a picture");

describe.each(storeKinds)("npm run check-store, with pictures in the %s store,", (kind) => {
  let testSite: TestSite;
  let opened: StoreUnderTest;
  let workspaceId: string;
  beforeAll(async () => {
    testSite = await TestSite.open();
    opened = await openStore(kind, testSite.directory);
    const gateway = await testSite.start({ environment: opened.settings });
    const recorder = await Recorder.open(gateway);
    const { facilityId, cameraId } = recorder.site;
    ({ workspaceId } = recorder);
    await createAlerts(gateway.prisma, [
      { workspaceId, facilityId, cameraId, url: "https://pictures.example/elsewhere.jpg" },
    ]);
    await storePictures(recorder, opened.store);
    // An upload in progress, in a workspace that is gone.
    await reserveObjects(
      gateway.prisma,
      { workspaceId: firstId, keys: ["cameras/reserved.jpg"] },
      new Date(),
    );
    await opened.store.put("cameras/reserved.jpg", picture);
    await gateway.close();
  });
  afterAll(async () => {
    await opened.close();
    await testSite.remove();
  });

  const check = (settings = opened.settings) => {
    const aws = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith("AWS_")));
    return runCommand("commands/check-store", {
      environment: { ...aws, ...testSite.variables, ...settings },
    });
  };

  async function storedKeys(): Promise<string[]> {
    const keys: string[] = [];
    for await (const key of opened.store.list()) keys.push(key);
    return keys;
  }

  it("finds nothing while there is a picture for each reference, and for each picture a reference or a reservation", async () => {
    // Two pictures each of a camera, an upload and an alert, three of a calibration and
    // one of a user; a clip; and the annotated and the reserved picture.
    expect(await check()).toEqual({
      code: 0,
      output: "Compared 13 objects with 11 references to them: 0 missing, 0 unused\n",
      errors: "",
    });
  });

  it("lists missing and unused pictures, and changes nothing", async () => {
    const stored = await storedKeys();
    await opened.store.delete(stored);
    for (const key of ["alerts/unused.jpg", "unused.png"]) await opened.store.put(key, picture);
    await writeFile(
      path.join(opened.directory, kind === "local" ? "objects" : "pictures", "Notes of an operator.txt"),
      "",
    );
    const state = async () => [
      await testSite.query(`SELECT * FROM "ObjectRemoval" ORDER BY "id"`),
      await filesBelow(opened.directory),
    ];
    const before = await state();
    const { code, output, errors } = await check();
    const lines = output.trimEnd().split("\n");
    const missing = lines.flatMap((line) => {
      const [, key = "", column = "", workspace] =
        /^missing (\S+): (\S+) of [0-9a-f-]{36} in workspace (\S+)$/.exec(line) ?? [];
      return workspace === workspaceId ? [{ key, column }] : [];
    });
    const columns = {
      Alert: ["url", "thumbnailUrl"],
      AlertClip: ["key"],
      AlertUpload: ["url", "thumbnailUrl"],
      Camera: ["imageLink", "thumbnail"],
      User: ["picture"],
    };
    const all = Object.entries({ ...columns, Calibration: ["calibratedImage", "croppedImage", "gridImage"] });
    expect(missing.map(({ column }) => column).sort()).toEqual(
      all.flatMap(([table, names]) => names.map((name) => `${table}.${name}`)).sort(),
    );
    const referredTo = stored.filter(
      (key) => !key.startsWith("annotated/") && key !== "cameras/reserved.jpg",
    );
    expect(missing.map(({ key }) => key).sort()).toEqual(referredTo.sort());
    expect(lines.filter((line) => !line.startsWith("missing ")).sort()).toEqual([
      "unused alerts/unused.jpg",
      "unused unused.png",
    ]);
    expect({ code, errors }).toEqual({
      code: 1,
      errors: "Compared 2 objects with 11 references to them: 11 missing, 2 unused\n",
    });
    expect(await state()).toEqual(before);
  });

  it.runIf(kind === "s3")("fails when the bucket cannot be listed", async () => {
    const { code, output, errors } = await check({ ...opened.settings, S3_BUCKET: "missing" });
    expect({ code, output }).toEqual({ code: 1, output: "" });
    expect(errors).toMatch(/bucket does not exist/);
  });
});

it("npm run check-store fails where there is no database", async () => {
  expect(await runCommand("commands/check-store", { environment: { DATA_DIR: "/nowhere" } })).toEqual({
    code: 1,
    output: "",
    errors: "There is no embedded database in /nowhere: set DATA_DIR to its directory, or DATABASE_URL\n",
  });
  expect(() =>
    readDataSettings({ DATABASE_URL: "mysql://db.example", S3_ENDPOINT: "http://s3.example" }),
  ).toThrow(
    /^Invalid settings:\n {2}DATABASE_URL must be a postgresql:.*\n {2}S3_BUCKET is required with S3_ENDPOINT, for example S3_BUCKET=alerts$/,
  );
});

describe("a check of the store", () => {
  let testSite: TestSite;
  let opened: StoreUnderTest;
  let gateway: Gateway;
  let temporary: TemporaryFiles;
  let place: { workspaceId: string; facilityId: string; cameraId: string };
  beforeAll(async () => {
    testSite = await TestSite.open();
    opened = await openStore("local", testSite.directory);
    gateway = await testSite.start();
    const { workspaceId, site } = await Recorder.open(gateway);
    place = { workspaceId, facilityId: site.facilityId, cameraId: site.cameraId };
    temporary = await TemporaryFiles.open(path.join(testSite.directory, "temporary"));
  });
  afterAll(async () => {
    await temporary.close();
    await gateway.close();
    await opened.close();
    await testSite.remove();
  });

  const newKey = () => `alerts/${randomUUID()}.jpg`;

  /** Does the steps of an upload, as far as the given parts allow. */
  async function upload(key: string): Promise<string> {
    const objects = { workspaceId: place.workspaceId, keys: [key] };
    await reserveObjects(gateway.prisma, objects, new Date());
    await opened.store.put(key, picture);
    const [id = ""] = await createAlerts(gateway.prisma, [{ ...place, url: key }]);
    await keepObjects(gateway.prisma, objects);
    return id;
  }

  async function deleteAlert(id: string, key: string, { schedule = true } = {}): Promise<void> {
    if (schedule) await scheduleRemoval(gateway.prisma, place.workspaceId, [key], new Date());
    await gateway.prisma.alert.deleteMany({ where: { id } });
  }

  /** Checks the store; `act` runs before the first statement that reads the table. */
  async function differences(table: string, act: () => Promise<unknown>): Promise<StoreDifference[]> {
    let acted = false;
    const read = async <Row>(statement: Prisma.Sql) => {
      if (!acted && statement.text.includes(`FROM "${table}"`)) {
        acted = true;
        await act();
      }
      return gateway.app.database.read<Row>(statement);
    };
    return temporary.withDirectory(async (directory) => {
      const found: StoreDifference[] = [];
      for await (const difference of checkStore({ store: opened.store, read, directory }))
        found.push(difference);
      expect(acted).toBe(true);
      return found;
    });
  }

  it.each(["ObjectRemoval", "Alert"])(
    "takes no picture for missing that is uploaded while the check reads %s",
    async (table) => {
      expect(await differences(table, () => upload(newKey()))).toEqual([]);
    },
  );

  it.each(["ObjectRemoval", "AlertUpload", "Alert", "User"])(
    "takes no picture for unused that is uploaded while the check reads %s",
    async (table) => {
      const key = newKey();
      const objects = { workspaceId: place.workspaceId, keys: [key] };
      await reserveObjects(gateway.prisma, objects, new Date());
      await opened.store.put(key, picture);
      const finish = async () => {
        await createAlerts(gateway.prisma, [{ ...place, url: key }]);
        await keepObjects(gateway.prisma, objects);
      };
      expect(await differences(table, finish)).toEqual([]);
    },
  );

  it.each(["ObjectRemoval", "AlertUpload", "Alert", "Camera"])(
    "takes no picture for unused that a row drops while the check reads %s",
    async (table) => {
      const key = newKey();
      const id = await upload(key);
      expect(await differences(table, () => deleteAlert(id, key))).toEqual([]);
    },
  );

  it.each(["ObjectRemoval", "Alert", "Camera"])(
    "takes no picture for missing or unused that is deleted while the check reads %s",
    async (table) => {
      const [before, during] = [newKey(), newKey()];
      const id = await upload(before);
      const deleteBoth = async () => {
        await deleteAlert(id, before, { schedule: false });
        await deleteAlert(await upload(during), during, { schedule: false });
        await opened.store.delete([before, during]);
      };
      expect(await differences(table, deleteBoth)).toEqual([]);
    },
  );

  it("reports each of many rows that share a missing picture", async () => {
    const key = newKey();
    const ids = await createAlerts(gateway.prisma, Array(300).fill({ ...place, url: key }));
    const found = await differences("Alert", async () => {});
    expect(found.flatMap((each) => ("missing" in each ? each.missing.id : [])).sort()).toEqual(ids.sort());
    expect(found).toHaveLength(300);
  });
});
