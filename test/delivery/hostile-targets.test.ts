// Needs no gateway.

import path from "node:path";
import { discoverIssuer } from "../../src/engine/access/issuer-discovery.js";
import { RemotePictures } from "../../src/engine/storage/remote-pictures.js";
import { feedServerSender } from "../../src/features/delivery/channels/feed-server-sender.js";
import { SmsChannel } from "../../src/features/delivery/channels/sms-channel.js";
import { WebhookChannel } from "../../src/features/delivery/channels/webhook-channel.js";
import { NetworkAddresses } from "../../src/platform/network/network-addresses.js";
import { FrigateClient } from "../../src/programs/connectors/frigate/frigate-client.js";
import { HostileServer, hostileAnswers } from "../support/hostile-answers.js";
import { ownDirectory } from "../support/temporary-directory.js";
import { uncaughtErrors } from "../support/uncaught-errors.js";
import { account } from "./text-message-server.js";

const address = "127.0.0.2";
const addresses = new NetworkAddresses([`${address}/32`], { resolver: "system" });
const uncaught = uncaughtErrors();

const server = await HostileServer.start(address);
const directory = await ownDirectory();
afterAll(() => server.stop());

/** What asks servers of others in the gateway's own process, or in a connector's. */
const senders: [what: string, send: (url: string, signal: AbortSignal) => Promise<unknown>][] = [
  [
    "a webhook",
    (url, signal) =>
      new WebhookChannel({ addresses, now: () => new Date() }).send(
        { id: "id", url, secret: null, body: "{}" },
        signal,
      ),
  ],
  [
    "a feed server",
    (url, signal) =>
      feedServerSender(url, () => "http://localhost").send(
        [
          {
            kind: "streamRequest",
            streamRequest: { requestId: "id", cameraId: "id", url: "rtsp://camera.example" },
          } as never,
        ],
        signal,
        {},
      ),
  ],
  [
    "a text message service",
    (url, signal) => new SmsChannel({ ...account, url }).send({ to: "+1", text: "x", signal }),
  ],
  ["an issuer", (url, signal) => discoverIssuer(url, signal)],
  [
    "a server of pictures",
    (url, signal) =>
      new RemotePictures({ addresses, maxBytes: 1_000 }).fetch(url, path.join(directory, "picture"), signal),
  ],
  ["Frigate", (url, signal) => new FrigateClient({ url }, signal).version()],
];

describe.each(senders)("nobody else is harmed by %s that answers with", (_what, send) => {
  it.each(hostileAnswers)("%s", async (_answer, answer) => {
    server.answer = answer;
    const controller = new AbortController();
    const answered = server.answered();
    const sending = send(`http://${server.host}`, controller.signal).catch((error) => error);
    await answered;
    // By the time of this answer, all of the other has been read.
    expect(await (await fetch(`http://${server.host}/fine`)).text()).toBe("fine");
    controller.abort();
    await sending;
    expect(uncaught).toEqual([]);
  });
});
