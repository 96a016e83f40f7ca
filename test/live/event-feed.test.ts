// Needs no gateway.

import { Registry } from "prom-client";
import { EventHub } from "../../src/engine/events/event-hub.js";
import { inProcessChannel } from "../../src/engine/events/in-process-channel.js";
import { listOf } from "../support/list-of.js";

it("a feed fails if more than 1000 events wait for its reader, instead of losing one", async () => {
  const hub = await EventHub.open(async (emitter) => inProcessChannel(emitter), new Registry());
  const topic = "facilityHeartbeat";
  const [slow, quick] = [hub.stream({ topic }), hub.stream({ topic })];
  const ids = listOf(1001, (index) => [`${index}`]);
  for (const each of ids) {
    await hub.publish([{ topic, workspaceId: "workspace", ids: each }]);
    expect((await quick.next()).value).toMatchObject({ ids: each });
  }
  await expect(slow.next()).rejects.toThrow("More than 1000 events are waiting to be read");
});
