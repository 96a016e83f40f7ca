// Needs no gateway.
import type { ServerResponse } from "node:http";
import { SmsChannel, type SmsChannelOptions } from "../../src/features/delivery/channels/sms-channel.js";
import { alertTextMessage } from "../../src/features/delivery/messages/alert-text-message.js";
import { freePort } from "../writes/feed-server.js";
import { alertNotification, alertSeries } from "./sample-notifications.js";
import { account, created, textMessageServer } from "./text-message-server.js";

const answer =
  (status: number, body = "", headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    response.writeHead(status, headers).end(body);

/** A server that speaks Twilio's Messages API, and a channel that uses it. */
async function textMessageService(
  respond?: (response: ServerResponse) => unknown,
  options: Partial<SmsChannelOptions> = {},
) {
  const { url, received } = await textMessageServer(respond);
  const channel = new SmsChannel({ ...account, url, ...options });
  const send = (signal = new AbortController().signal) =>
    channel.send({ to: "+905321234567", text: "Gate in & out", signal });
  return { send, received };
}

describe("the text message service", () => {
  it("gets a message with the account's credentials", async () => {
    const { send, received } = await textMessageService();
    expect(await send()).toEqual({ kind: "sent" });
    expect(received).toMatchObject([
      {
        request: "POST /2010-04-01/Accounts/AC0123456789abcdef/Messages.json",
        headers: {
          authorization: `Basic ${Buffer.from("AC0123456789abcdef:twilio-secret").toString("base64")}`,
          "content-type": "application/x-www-form-urlencoded;charset=UTF-8",
        },
        form: { To: "+905321234567", From: "+12025550123", Body: "Gate in & out" },
      },
    ]);
  });

  it("gets the SID of a messaging service as such", async () => {
    const { send, received } = await textMessageService(created, {
      from: "MG0123456789abcdef0123456789abcdef",
    });
    await send();
    expect(received[0]?.form).toEqual({
      To: "+905321234567",
      MessagingServiceSid: "MG0123456789abcdef0123456789abcdef",
      Body: "Gate in & out",
    });
  });

  const failed = (reason: string, retry = "always") => ({ kind: "failed", reason, retry });
  const hour = 3_600_000;
  const busy = "The text message service did not take the message at present";
  const refused = "The text message service refused the message";
  const unauthorized = "The text message service did not accept the gateway's credentials";

  it.each([
    ["is busy", answer(429, "", { "retry-after": "7" }), { ...failed(`${busy} (429)`), retryAfterMs: 7_000 }],
    ["fails", answer(500, "secret stack trace"), failed(`${busy} (500)`)],
    [
      "does not know the token",
      answer(401, '{"code":20003}'),
      failed(`${unauthorized} (401, Twilio's error 20003)`),
    ],
    ["suspended the account", answer(403), failed(`${unauthorized} (403)`)],
    [
      "refuses the number",
      answer(400, '{"code":21211,"message":"x"}'),
      failed(`${refused} (400, Twilio's error 21211)`, "few times"),
    ],
    [
      "answers with a text as its code",
      answer(400, '{"code":"<b>21211</b>"}'),
      failed(`${refused} (400)`, "few times"),
    ],
    [
      "answers at length",
      answer(400, `{"code":21211,"message":"${"x".repeat(70_000)}"}`),
      failed(`${refused} (400)`, "few times"),
    ],
  ])("%s", async (_what, respond, outcome) => {
    const { send } = await textMessageService(respond);
    expect(await send()).toEqual(outcome);
  });

  it.each([
    ["a day", "86400", hour],
    ["eleven digits", "99999999999", hour],
    ["-5", "-5", undefined],
    ["1.5", "1.5", undefined],
    ["a later time as it is written today", "Wed, 21 Oct 2065 07:28:00 GMT", hour],
    ["a later time in the form of RFC 850", "Monday, 21-Oct-47 07:28:00 GMT", hour],
    ["a later time in the form of asctime", "Thu Oct  1 07:28:00 2065", hour],
    ["a time that is past", "Wed, 21 Oct 2015 07:28:00 GMT", 0],
  ])("asks to be left alone for %s", async (_what, value, retryAfterMs) => {
    const { send } = await textMessageService(answer(503, "", { "retry-after": value }));
    expect(await send()).toEqual({ ...failed(`${busy} (503)`), retryAfterMs });
  });

  it("does not send the gateway elsewhere", async () => {
    const { send, received } = await textMessageService(answer(307, "", { location: "/elsewhere" }));
    expect(await send()).toEqual(failed(`${busy} (307)`));
    expect(received).toHaveLength(1);
  });

  it("may hang", async () => {
    const { send } = await textMessageService(() => undefined, { timeoutMs: 50 });
    expect(await send()).toEqual(failed("The text message service did not answer in time"));
  });

  it("may be away", async () => {
    const { send } = await textMessageService(created, { url: `http://127.0.0.1:${await freePort()}` });
    expect(await send()).toEqual(failed("The text message service is unreachable (ECONNREFUSED)"));
  });

  it("is not waited for when the gateway shuts down", async () => {
    const shutdown = new AbortController();
    const { send } = await textMessageService(() => shutdown.abort());
    expect(await send(shutdown.signal)).toEqual(
      failed("The gateway shut down before the text message service answered"),
    );
  });
});

describe("a text message", () => {
  const link = "https://gateway.example/?alert=1";

  it("states the event, the place and the time", () => {
    expect(alertTextMessage([alertNotification({ consoleUrl: link })], { total: 1 })).toBe(
      `[HIGH] Vehicle in a pedestrian area, Gate in, Istanbul, 14:05. ${link}`,
    );
  });

  it("sums up several alerts by the gravest", () => {
    const grave = alertNotification({ alert: { severity: "CRITICAL" }, consoleUrl: link });
    expect(alertTextMessage([...alertSeries(3), grave], { total: 12 })).toBe(
      `[CRITICAL] Vehicle in a pedestrian area, Gate in, Istanbul, 14:05. +11 more. ${link}`,
    );
  });

  it("says that it is a test", () => {
    expect(
      alertTextMessage([alertNotification({ isTest: true, alert: { severity: null } })], { total: 1 }),
    ).toMatch(/^\[TEST\] Vehicle in /);
  });

  it("shortens long names to fit 160 characters, brackets counting twice, and keeps the link", () => {
    const changes = {
      camera: { name: "Loading dock ".repeat(15) },
      facility: { name: "Istanbul ".repeat(20) },
      consoleUrl: link,
    };
    const message = alertTextMessage([alertNotification(changes)], { total: 12 });
    expect(message).toHaveLength(160 - "[]".length);
    expect(message).toBe(
      `[HIGH] Vehicle in a pedestrian area, Loading dock Loading dock Loadi..., Istanbul Istanbul Istanbul Ista..., 14:05. +11 more. ${link}`,
    );
  });

  it("uses the letters of the GSM alphabet where there are similar ones", () => {
    const changes = {
      camera: { name: "Giriş “kapısı” – Ğ" },
      facility: { name: "Łódź Straße Ñuñoa" },
      consoleUrl: link,
    };
    expect(alertTextMessage([alertNotification(changes)], { total: 1 })).toBe(
      `[HIGH] Vehicle in a pedestrian area, Giris "kapisi" - G, Lodz Straße Ñuñoa, 14:05. ${link}`,
    );
  });

  it("has at most 70 characters where there are not", () => {
    const changes = {
      alert: { name: "FIRE" },
      camera: { name: "Главные ворота склада" },
      facility: { name: "Стамбул" },
    };
    expect(
      alertTextMessage([alertNotification({ ...changes, consoleUrl: "https://g.example/?alert=1" })], {
        total: 1,
      }),
    ).toBe("[HIGH] Fire, Главные во..., Стамбул, 14:05. https://g.example/?alert=1");
  });

  it("goes without a link that leaves no room for the names", () => {
    const changes = {
      alert: { name: "FIRE" },
      camera: { name: "Главные ворота склада" },
      consoleUrl: `https://gateway.example/?alert=${"1".repeat(36)}`,
    };
    expect(alertTextMessage([alertNotification(changes)], { total: 3 })).toBe(
      "[HIGH] Fire, Главные ворота склада, Istanbul, 14:05. +2 more.",
    );
  });
});
