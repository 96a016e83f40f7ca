import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import path from "node:path";
import { text } from "node:stream/consumers";
import { eventually } from "../support/eventually.js";
import { freePort } from "../writes/feed-server.js";
import { documentSnippetsOfFile } from "./document-snippets.js";

const _admin = { user: "demo|admin" };
const snippets = documentSnippetsOfFile({ environment: { WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1/32" } });

it("a webhook verifies its requests with a published library", async () => {
  const { cameras } = await snippets.ask<{ cameras: { alertRules: { id: string }[] }[] }>(
    "{ cameras { id name alertRules { id } } }",
  );
  const camera = cameras.find(({ alertRules }) => alertRules.length > 0) as
    | { id: string; name: string; alertRules: [{ id: string }] }
    | undefined;
  const secret = `whsec_${Buffer.from(randomUUID()).toString("base64")}`;
  const PORT = String(await freePort());
  const receiver = spawn(process.execPath, [path.join(snippets.directory, "webhook-receiver.js")], {
    env: { ...process.env, PORT, WEBHOOK_SECRET: secret },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const output = text(receiver.stdout);
  try {
    const update =
      "mutation ($id: UUID!, $input: UpdateAlertRuleInput!) { updateAlertRule(id: $id, input: $input) { id } }";
    const input = {
      apiNotification: { url: `http://127.0.0.1:${PORT}`, secret },
      observation: false,
      status: "ACTIVE",
      emails: [],
      phoneNumbers: [],
    };
    const id = camera?.alertRules[0].id;
    await snippets.ask(update, { id, input });
    await eventually(
      () => fetch(`http://127.0.0.1:${PORT}`, { method: "POST", body: "{}" }).catch(() => undefined),
      (response) => response?.status === 400,
    );
    const alert = {
      id: randomUUID(),
      cameraId: camera?.id,
      alertRuleId: id,
      name: "NO_HELMET",
      createdAt: new Date().toISOString(),
    };
    const record = "mutation ($input: [RecordAlertInput!]!) { recordAlerts(input: $input) { recorded } }";
    await snippets.ask(record, { input: [alert] });
    const states = "query ($id: UUID!) { alert(id: $id) { deliveries { channel state } } }";
    await eventually(
      () => snippets.ask<{ alert: { deliveries: unknown[] } }>(states, { id: alert.id }),
      (data) => JSON.stringify(data.alert.deliveries) === '[{"channel":"WEBHOOK","state":"SENT"}]',
    );
  } finally {
    receiver.kill();
    await once(receiver, "close");
  }
  expect(await output).toContain(` NO_HELMET: ${camera?.name}, `);
});
