import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type ParsedMail, simpleParser } from "mailparser";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import {
  EmailChannel,
  type EmailChannelOptions,
} from "../../src/features/delivery/channels/email-channel.js";

/** A received mail, with its sender and recipients from the SMTP dialogue. */
export interface ReceivedMail extends ParsedMail {
  sender: string | undefined;
  recipients: string[];
}

/**
 * A mail server, without TLS unless its options say so, and a channel that uses it; both
 * end with the test.
 */
export async function mailServer(
  options: SMTPServerOptions = {},
  { credentials = "", host = "127.0.0.1" } = {},
) {
  const { url, received, close } = await openMailServer(options, { credentials, host });
  const channel = emailChannel(url);
  onTestFinished(close);
  return { channel, url, received };
}

/** A mail server that runs until closed. */
export async function openMailServer(
  options: SMTPServerOptions = {},
  { credentials = "", host = "127.0.0.1" } = {},
) {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    closeTimeout: 1,
    onData: (stream, { envelope }, done) => {
      const sender = envelope.mailFrom ? envelope.mailFrom.address : undefined;
      simpleParser(stream).then((mail) => {
        received.push({ ...mail, sender, recipients: envelope.rcptTo.map(({ address }) => address) });
        done();
      }, done);
    },
    ...options,
  });
  // In some tests, clients refuse the certificate or hang up on purpose.
  server.on("error", () => undefined);
  const { server: listener } = server;
  server.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  const url = `smtp${options.secure ? "s" : ""}://${credentials}${host}:${port}`;
  return { url, received, close: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}

/** A channel that is closed when the test ends. */
export function emailChannel(url: string, options: Partial<EmailChannelOptions> = {}): EmailChannel {
  const channel = new EmailChannel({ url, from: "Site safety <gateway@mail.example>", ...options });
  onTestFinished(() => channel.close());
  return channel;
}

/** A refusal of a command. */
export function refusal(responseCode: number, message = "Go away, you 10.0.0.7"): Error {
  return Object.assign(new Error(message), { responseCode });
}
