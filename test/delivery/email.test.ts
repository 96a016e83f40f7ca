// Needs no gateway.

import { once } from "node:events";
import { createServer } from "node:net";
import type { EmailChannel } from "../../src/features/delivery/channels/email-channel.js";
import { alertMail } from "../../src/features/delivery/messages/alert-mail.js";
import { alertTextMessage } from "../../src/features/delivery/messages/alert-text-message.js";
import type { MailMessage } from "../../src/features/delivery/messages/mail-layout.js";
import { outageMail } from "../../src/features/delivery/messages/outage-mail.js";
import { listOf } from "../support/list-of.js";
import { listenForTest } from "../support/listening.js";
import { freePort } from "../writes/feed-server.js";
import { emailChannel, mailServer, refusal } from "./mail-server.js";
import { alertNotification, alertSeries, outageNotification } from "./sample-notifications.js";

const picture = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0x0d, 0x0a, 0x2e, 0x0d, 0x0a, 0xff, 0xd9]);

function send(
  channel: EmailChannel,
  {
    message = alertMail([alertNotification()], { total: 1 }),
    signal = new AbortController().signal,
  }: { message?: MailMessage; signal?: AbortSignal } = {},
) {
  return channel.send({
    to: "safety@site.example",
    messageId: "<delivery-1@gateway.example>",
    message,
    signal,
  });
}

/** A server that accepts connections and never says a word. */
async function silentServer() {
  const server = createServer();
  return {
    url: `smtp://127.0.0.1:${await listenForTest(server)}`,
    connected: once(server, "connection"),
  };
}

const plainSubject = ({ subject }: MailMessage) => subject;

describe("a mail about an alert", () => {
  it("arrives as plain text, as HTML and with its picture", async () => {
    const { channel, received } = await mailServer();
    expect(await send(channel, { message: alertMail([alertNotification()], { total: 1, picture }) })).toEqual(
      { kind: "sent" },
    );
    const [mail] = received;
    expect(mail).toMatchObject({
      sender: "gateway@mail.example",
      recipients: ["safety@site.example"],
      subject: "[HIGH] Vehicle in a pedestrian area · Gate in · Istanbul",
      messageId: "<delivery-1@gateway.example>",
      from: { value: [{ name: "Site safety", address: "gateway@mail.example" }] },
    });
    expect(mail?.headers.get("auto-submitted")).toBe("auto-generated");
    expect(mail?.headers.get("x-auto-response-suppress")).toBe("All");
    expect(mail?.text).toBe(`[HIGH] Vehicle in a pedestrian area
Gate in · Istanbul

When     Sun 22 Nov 2026, 14:05 (Europe/Istanbul, UTC+03:00)
Rule     A vehicle is in the area “Walkway”
Objects  2

Open the alert:
https://gateway.example/?alert=0d1f3c2a-6a1b-4f57-9a53-0d7f7c7a0003

Open the picture (the link works for 7 days):
https://gateway.example/files/alert.jpg?expires=1&signature=2

The picture is attached.

-- 
You get this mail because your address is named in the alert rule “Vehicle
in a pedestrian area”, or as a recipient of the camera “Gate in”. Someone
with access to the gateway can change that.
`);
    const [attachment] = mail?.attachments ?? [];
    expect(attachment).toMatchObject({
      contentType: "image/jpeg",
      contentDisposition: "inline",
      content: picture,
    });
    expect(mail?.html).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(mail?.html).toMatch(
      /<img src="data:image\/jpeg;base64,[^"]+" alt="Picture of the camera Gate in, Sun 22 Nov 2026, 14:05 /,
    );
    expect(mail?.html).toContain('href="https://gateway.example/files/alert.jpg?expires=1&amp;signature=2"');
  });

  it("belongs to one conversation with the mails of its rule and day", async () => {
    const { channel, received } = await mailServer();
    await send(channel);
    await send(channel, { message: alertMail(alertSeries(2), { total: 2 }) });
    await send(channel, {
      message: alertMail([alertNotification({ alert: { createdAt: new Date("2026-11-22T21:00:00Z") } })], {
        total: 1,
      }),
    });
    const [first, digest, nextDay] = received.map(({ references }) => references);
    expect(first).toMatch(/^<[\w.-]+@gateway\.example>$/);
    expect(digest).toEqual(first);
    expect(nextDay).not.toEqual(first);
  });

  it("states in the subject, the text and the HTML that it is a test", () => {
    const { subject, text, html } = alertMail([alertNotification({ isTest: true })], { total: 1 });
    expect(subject).toBe("[TEST] [HIGH] Vehicle in a pedestrian area · Gate in · Istanbul");
    expect(text).toMatch(/^\*\*\* This is a test that somebody asked for\. Nothing happened\. \*\*\*\n/);
    expect(html).toContain("This is a test that somebody asked for. Nothing happened.");
  });

  it("without a rule names only the camera as the reason", () => {
    const { subject, text } = alertMail(
      [alertNotification({ alert: { severity: null, count: 1 }, alertRule: null, pictureUrl: null })],
      {
        total: 1,
      },
    );
    expect(subject).toBe("Vehicle in a pedestrian area · Gate in · Istanbul");
    expect(text.replaceAll("\n", " ")).toContain(
      "because your address is a recipient of the camera “Gate in”.",
    );
    expect(text).not.toMatch(/Rule|picture/);
  });

  it("names the rule as people do", () => {
    const { text } = alertMail([alertNotification({ alert: { alertRuleName: "Gate by night" } })], {
      total: 1,
    });
    expect(text).toContain("Gate by night: A vehicle is in the area “Walkway”");
  });

  it("shows types that are words already as they are", () => {
    const subjects = ["NO_PPE", "Forklift too FAST", "fall"].map((name) =>
      plainSubject(alertMail([alertNotification({ alert: { name } })], { total: 1 })),
    );
    expect(subjects.map((subject) => subject.split(" · ")[0])).toEqual([
      "[HIGH] No PPE",
      "[HIGH] Forklift too FAST",
      "[HIGH] fall",
    ]);
  });
});

describe("names", () => {
  const hostile = `x"'>\r\nBcc: all@site.example\r\n\r\n<script>alert(1)</script>\u202e\u0000&amp;`;
  const alert = alertNotification({
    alert: { name: hostile, alertRuleName: hostile, severity: hostile },
    camera: { name: hostile },
    facility: { name: hostile },
    alertRule: { name: hostile, pretty: hostile },
  });
  const outage = outageNotification("CAMERA_LOST");
  const messages: [string, MailMessage][] = [
    ["an alert", alertMail([alert], { total: 1, picture })],
    ["a digest", alertMail([alert, alert], { total: 2, picture })],
    [
      "an outage",
      outageMail({
        ...outage,
        camera: { id: "1", name: hostile },
        facility: { ...outage.facility, name: hostile },
      }),
    ],
  ];

  it.each(messages)("cannot break headers or HTML of a mail about %s", async (_what, message) => {
    const { channel, received } = await mailServer();
    expect(await send(channel, { message })).toEqual({ kind: "sent" });
    const [mail] = received;
    const shown = String(mail?.html).replaceAll(/\d+px/g, "");
    expect(mail?.recipients).toEqual(["safety@site.example"]);
    expect(mail?.headers.has("bcc")).toBe(false);
    expect(mail?.subject).toContain("x\"'> Bcc: all@site.example <script>");
    for (const raw of ["<script", `x"`, `x'`, "\u202e", "\u0000"]) expect(shown).not.toContain(raw);
    expect(mail?.html).toContain("&lt;script&gt;alert(1)&lt;/script&gt; &amp;amp;");
  });

  it("that run from right to left do not affect the text beside them, in HTML, plain text, subjects and text messages", () => {
    const hebrew = "מצלמה\u202e\u2069 12";
    const [shown, marked] = ["\u2068מצלמה 12\u2069", "<bdi>מצלמה 12</bdi>"];
    const named = alertNotification({
      alert: { name: hebrew, severity: hebrew },
      camera: { name: hebrew },
      facility: { name: hebrew },
      alertRule: { name: "RULE", pretty: `${"מצלמה ".repeat(30)}.` },
    });
    const { subject, html, text } = alertMail([named], { total: 1, picture });
    expect(subject).toBe(`[${shown}] ${shown} · ${shown} · ${shown}`);
    for (const place of [
      `>${marked}</h1>`,
      `>${marked} · ${marked}</p>`,
      `>${marked}</span>`,
      `camera “${marked}”`,
    ])
      expect(html).toContain(place);
    expect(html).toContain(`alt="Picture of the camera ${shown}, `);
    expect(text).toContain(`[${shown}] ${shown}\n${shown} · ${shown}\n`);
    // Each line is a paragraph. Isolates of other lines have no effect in it.
    expect(
      text
        .split("\n")
        .filter(
          (line) =>
            line.includes("מצלמה") &&
            !/^[^\u2069]*(?:\u2068[^\u2068\u2069]*\u2069[^\u2068\u2069]*)+$/.test(line),
        ),
    ).toEqual([]);
    const outage = outageMail({ ...outageNotification("CAMERA_LOST"), camera: { id: "1", name: hebrew } });
    expect([outage.subject, outage.html]).toEqual([
      expect.stringContaining(`${shown} · Istanbul`),
      expect.stringContaining(`${marked} · Istanbul`),
    ]);
    const message = alertTextMessage([named], { total: 1 });
    expect(message).toMatch(
      /^\[\u2068[^\u2068\u2069]+\u2069\] (?:\u2068[^\u2068\u2069]+\u2069, ){3}14:05\.$/,
    );
  });

  it("of any length leave short lines and a short subject", () => {
    const [long, unbroken] = ["Loading dock ".repeat(15), "仓".repeat(200)];
    const { subject, text } = alertMail(
      [alertNotification({ camera: { name: long }, facility: { name: unbroken }, pictureUrl: null })],
      {
        total: 1,
      },
    );
    expect(subject).toHaveLength("[HIGH] Vehicle in a pedestrian area".length + 2 * (" · ".length + 60));
    const lines = text.split("\n").filter((line) => !line.startsWith("https://"));
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(76);
  });
});

describe("a digest", () => {
  it("lists its alerts from the first to the last, and counts the omitted ones", () => {
    const { subject, text, html } = alertMail([...alertSeries(25)].reverse(), { total: 57, picture });
    expect(subject).toBe("[HIGH] 57 × Vehicle in a pedestrian area · Gate in · Istanbul");
    expect(text.match(/^\* .*/gm)).toHaveLength(20);
    expect(text).toContain(
      "* 14:05:09  2 objects\n  Alert: https://gateway.example/?alert=alert-1\n* 14:05:13  2 objects\n  Alert: https://gateway.example/?alert=alert-2\n",
    );
    expect(text).toContain("\nand 37 more\n");
    expect(text).toContain("Since Sun 22 Nov 2026, 14:05 (Europe/Istanbul, UTC+03:00)");
    expect(html.match(/\?alert=alert-\d+/g)).toHaveLength(21);
    expect(html).toContain("The alert of 14:06:45");
  });

  it("of several types names the gravest severity, and each alert's own", () => {
    const alerts = [
      alertNotification({ alertRule: null, alert: { severity: "LOW", count: 1 } }),
      alertNotification({
        alertRule: null,
        alert: { name: "FIRE", severity: "CRITICAL", createdAt: new Date("2026-11-22T21:00:00Z") },
      }),
    ];
    const { subject, text } = alertMail(alerts, { total: 2 });
    expect(subject).toBe("[CRITICAL] 2 alerts · Gate in · Istanbul");
    expect(text.match(/^\* .*/gm)).toEqual([
      "* 22 Nov, 14:05:09  Vehicle in a pedestrian area, LOW, 1 object",
      "* 23 Nov, 00:00:00  Fire, CRITICAL, 2 objects",
    ]);
    expect(text.replace(/\s+/g, " ")).toContain(
      "When Sun 22 Nov 2026, 14:05 to Mon 23 Nov 2026, 00:00 (Europe/Istanbul, UTC+03:00)",
    );
  });
});

describe("a mail about an outage", () => {
  it.each([
    ["CAMERA_LOST", "[No stream] Gate in · Istanbul: since 14:05", "Since  Sun 22 Nov 2026, 14:05 "],
    ["CAMERA_RECOVERED", "[Working] Gate in · Istanbul: again since 14:05", "Since  Sun 22 Nov 2026, 14:05 "],
    [
      "FACILITY_OFFLINE",
      "[Facility offline] Istanbul: since 14:05",
      "Last heard from  Sun 22 Nov 2026, 14:05 ",
    ],
    ["FACILITY_BACK", "[Facility back] Istanbul: back online since 14:05", "Since  Sun 22 Nov 2026, 14:05 "],
  ] as const)("says what happened: %s", (kind, subject, moment) => {
    const mail = outageMail(outageNotification(kind));
    expect(mail.subject).toBe(subject);
    expect(mail.text).toContain(moment);
    expect(mail.text).toMatch(/Call +Ada, Electrician, 0532 12, By day\nNote +Left door\n/);
    expect(mail.html).toContain('href="https://gateway.example/?camera=1"');
  });
});

describe("the mail server", () => {
  const failed = (reason: string, retry = "always") => ({ kind: "failed", reason, retry });
  const refuse = (code: number) => (_subject: unknown, _session: unknown, done: (error: Error) => void) =>
    done(refusal(code));

  it.each<[string, Parameters<typeof mailServer>[0], string, "always" | "few times"]>([
    [
      "the recipient for now",
      { onRcptTo: refuse(451) },
      "The mail server does not accept the recipient at present (451)",
      "always",
    ],
    ["the recipient", { onRcptTo: refuse(550) }, "The mail server refused the recipient (550)", "few times"],
    ["the sender", { onMailFrom: refuse(550) }, "The mail server refused the sender (550)", "always"],
    [
      "a client without credentials",
      { onMailFrom: refuse(530) },
      "The mail server did not accept the gateway's credentials (530)",
      "always",
    ],
    [
      "the mail",
      { onData: (stream, _session, done) => stream.on("end", () => done(refusal(554))).resume() },
      "The mail server refused the mail (554)",
      "few times",
    ],
    [
      "the connection",
      { onConnect: (_session, done) => done(refusal(554)) },
      "The mail server is not ready (554)",
      "always",
    ],
    [
      "a mail of this size",
      { size: 1000, rejectOversized: true },
      "The mail is larger than the mail server or the mailbox takes (552)",
      "few times",
    ],
  ])("may refuse %s", async (_what, options, reason, retry) => {
    const { channel } = await mailServer(options);
    expect(await send(channel)).toEqual(failed(reason, retry));
  });

  it("takes the next mail after a refusal", async () => {
    const { channel, received } = await mailServer({
      onRcptTo: ({ address }, _session, done) => done(address.startsWith("nobody") ? refusal(550) : null),
    });
    const { signal } = new AbortController();
    const message = alertMail([alertNotification()], { total: 1 });
    await channel.send({
      to: "nobody@site.example",
      messageId: "<delivery-0@gateway.example>",
      message,
      signal,
    });
    await send(channel);
    expect(received.map(({ messageId }) => messageId)).toEqual(["<delivery-1@gateway.example>"]);
  });

  it("gets credentials, and may refuse them", async () => {
    const authentication = {
      authOptional: false,
      onAuth: (
        { username, password }: { username?: string | undefined; password?: string | null | undefined },
        _session: unknown,
        done: (error: Error | null, answer?: object) => void,
      ) =>
        username === "gateway" && password === "p@ss:word"
          ? done(null, { user: username })
          : done(refusal(535)),
    };
    const good = await mailServer(authentication, { credentials: "gateway:p%40ss%3Aword@" });
    const bad = await mailServer(authentication, { credentials: "gateway:guess@" });
    expect(await send(good.channel)).toEqual({ kind: "sent" });
    expect(await send(bad.channel)).toEqual(
      failed("The mail server did not accept the gateway's credentials (535)"),
    );
  });

  it.each([
    ["STARTTLS", { hideSTARTTLS: false }],
    ["TLS", { secure: true }],
  ])("gets nothing by %s with a certificate that is not trusted", async (_what, options) => {
    const { channel, received } = await mailServer(options);
    expect(await send(channel)).toEqual(failed("The mail server offers no trusted TLS connection"));
    expect(received).toEqual([]);
  });

  it("gets no credentials without TLS, unless on loopback", async () => {
    const passwords: unknown[] = [];
    const { channel } = await mailServer(
      { onAuth: ({ password }, _session, done) => done(null, { user: passwords.push(password) }) },
      // Reaches loopback, but does not say so.
      { credentials: "gateway:secret@", host: "0.0.0.0" },
    );
    expect(await send(channel)).toEqual(failed("The mail server offers no trusted TLS connection"));
    expect(passwords).toEqual([]);
  });

  it("need not be opened to more than four connections", async () => {
    const { channel } = await mailServer({ maxClients: 4 });
    const outcomes = await Promise.all(listOf(10, () => send(channel)));
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(["sent"]));
  });

  it("may hang", async () => {
    const { url } = await silentServer();
    expect(await send(emailChannel(url, { timeoutMs: 50 }))).toEqual(
      failed("The mail server did not answer in time"),
    );
  });

  it("may be away", async () => {
    expect(await send(emailChannel(`smtp://127.0.0.1:${await freePort()}`))).toEqual(
      failed("The mail server is unreachable (ECONNREFUSED)"),
    );
  });

  it("is not waited for when the gateway shuts down", async () => {
    const { url, connected } = await silentServer();
    const shutdown = new AbortController();
    const outcome = send(emailChannel(url), { signal: shutdown.signal });
    await connected;
    shutdown.abort();
    expect(await outcome).toEqual(failed("The gateway shut down before the mail server accepted the mail"));
  });
});
