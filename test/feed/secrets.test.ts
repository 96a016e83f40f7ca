// Runs once: both kinds of databases run the same statements.
// Takes long: it reads streams of cameras with ffmpeg.
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { startTraceCollector } from "../monitoring/trace-collector.js";
import { missingCameraPackages } from "../support/cameras/camera-programs.js";
import { HttpCamera } from "../support/cameras/http-camera.js";
import { cameraPassword, cameraUser, RtspServer } from "../support/cameras/rtsp-server.js";
import { createApiKey } from "../support/factories.js";
import { TestSite } from "../support/test-site.js";
import { FeedSite } from "./feed-site.js";
import { feedSettings } from "./switched-camera.js";
import { descendantsOf, environmentOf } from "./system-processes.js";

const secrets = [
  cameraPassword,
  encodeURIComponent(cameraPassword),
  "Uni%40corn",
  "wrong-one",
  "d3Jvbmctb25l",
];

it.skipIf(missingCameraPackages.length > 0)(
  "no process, log, trace, metric, answer or file holds the password of a camera that is opened",
  async () => {
    const [rtsp, http, collector] = await Promise.all([
      RtspServer.start(),
      HttpCamera.start(),
      startTraceCollector(),
    ]);
    onTestFinished(async () => {
      await Promise.all([rtsp.stop(), http.stop(), collector.close()]);
    });
    const testSite = await TestSite.forTest();
    const site = new FeedSite();
    const prepared = await testSite.start();
    await site.open(prepared);
    const { authorization: viewer } = (await createApiKey(prepared.prisma, {
      workspaceId: site.workspaceId,
      permissions: ["cameras:read"],
    })) as { authorization: string };
    await prepared.close();
    const { process: gateway, address } = await testSite.startProcess({
      ...feedSettings,
      LOG_LEVEL: "debug",
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
    });

    const seen: string[] = [];
    let programs = 0;
    let isOver = false;
    const sampling = (async () => {
      while (!isOver) {
        const started = await descendantsOf(gateway.pid);
        programs += started.filter(({ command }) => /ff(?:mpeg|probe)\0/.test(command)).length;
        seen.push(
          ...started.map(({ command }) => command),
          ...(await Promise.all(started.map(environmentOf))),
        );
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();

    const { authorization } = site.as as { authorization: string };
    const send = async (target: string, body?: object, as = authorization) => {
      const response = await fetch(`${address}${target}`, {
        method: body ? "POST" : "GET",
        headers: { authorization: as, "content-type": "application/json" },
        body: body ? JSON.stringify(body) : null,
      });
      return response.text();
    };
    const ask = async (query: string, as = authorization) =>
      JSON.parse(await send("/graphql", { query }, as)) as { data: { cameras: Seen[] }; errors?: unknown };
    const urls = [
      rtsp.url("h264", "digest"),
      rtsp.url("h264", "digest", `${cameraUser}:wrong-one`),
      http.privateUrl,
      http.url("private.m3u8", `${cameraUser}:wrong-one`),
    ];
    const answers: string[] = [];
    for (const [index, url] of urls.entries())
      answers.push(
        await send(`/facilities/${site.facilityId}/cameras`, {
          name: `Gate ${index}`,
          url,
          streamType: "direct",
        }),
      );
    const query = "{ cameras { name imageLink liveUrl feedError { code message } } }";
    await expect
      .poll(async () => (await ask(query)).data.cameras.map(outcomeOf).sort(), { timeout: 60_000 })
      .toEqual(["UNAUTHORIZED", "UNAUTHORIZED", "shown", "shown"]);
    const { data } = await ask(query);
    for (const { liveUrl } of data.cameras) {
      const { pathname, search } = new URL(liveUrl);
      const live = await fetch(`${address}${pathname}${search}`);
      if (live.status === 503) answers.push(await live.text());
      else await live.body?.cancel();
    }
    const fields =
      "{ cameras { url feedError { message } streamRequests { nodes { errorMessage metadata } } statusHistory { nodes { statusDetail } } } }";
    answers.push(JSON.stringify([data, await ask(fields, viewer)]));
    answers.push(await send("/cameras", undefined, viewer), await send("/metrics"), await send("/readyz"));
    isOver = true;
    await sampling;
    const { output, errors } = await gateway.kill("SIGTERM");

    expect(programs).toBeGreaterThan(urls.length);
    expect(collector.spans.length).toBeGreaterThan(urls.length);
    const found = {
      processes: seen,
      log: [output, errors],
      traces: [JSON.stringify(collector.spans)],
      answers,
      files: await filesBelow(testSite.directory),
    };
    for (const [where, texts] of Object.entries(found))
      for (const secret of secrets)
        expect(texts.filter((text) => text.includes(secret)).length, `${secret} in ${where}`).toBe(0);
  },
  240_000,
);

interface Seen {
  imageLink: string | null;
  liveUrl: string;
  feedError: { code: string } | null;
}

const outcomeOf = ({ imageLink, feedError }: Seen) => feedError?.code ?? (imageLink ? "shown" : "");

/** The contents of all files but those of the embedded database, which has the URLs. */
async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !path.relative(directory, file).startsWith("postgresql"));
  return Promise.all(files.map((file) => readFile(file, "latin1")));
}
