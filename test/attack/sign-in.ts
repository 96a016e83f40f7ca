import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { SMTPServer } from "smtp-server";
import { listOf } from "../support/list-of.js";
import type { Attack } from "./attack-case.js";
import { operation } from "./attack-requests.js";
import { attackerEmail, mailServer } from "./target.js";

const patienceMs = 30_000;
/** The mails to an address that one network may ask for in an hour. */
const maxMails = 5;

const waiting = `SELECT FROM "SignInLinkRequest" WHERE "answeredAt" IS NULL`;

/** Attacks by asking for sign-in links. */
export const signInAttacks: Attack[] = [
  {
    name: "sign-in-links",
    description: `600 anonymous requests for sign-in links, half of them to one address, which gets ${maxMails} mails at most`,
    isShort: true,
    prepare: async (attacker) => {
      const fields = listOf(
        30,
        (n) =>
          `a${n}: requestSignInLink(email: "${n % 2 === 0 ? attackerEmail : `nobody${n}@test.example`}")`,
      );
      const request = operation(`mutation { ${fields.join(" ")} }`);
      return async () => {
        let mails = 0;
        const server = new SMTPServer({
          authOptional: true,
          disableReverseLookup: true,
          hideSTARTTLS: true,
          closeTimeout: 1,
          onData: (stream, _session, done) => {
            mails += 1;
            stream.resume().once("end", done);
          },
        });
        await once(server.listen(mailServer.port, mailServer.host), "listening");
        try {
          const answers = await attacker.sendAll(Array(20).fill(request));
          for (
            const deadline = Date.now() + patienceMs;
            mails === 0 || (await attacker.target.sql(waiting)).length > 0;
          ) {
            if (Date.now() > deadline)
              throw new Error(
                `${answers}: after ${patienceMs / 1000} s, ${mails} mails came, and ${(await attacker.target.sql(waiting)).length} requests wait`,
              );
            await sleep(100);
          }
          if (mails > maxMails) throw new Error(`${mails} mails were sent`);
          return `${answers}; ${mails} mails`;
        } finally {
          await new Promise<void>((resolve) => server.close(resolve));
        }
      };
    },
  },
];
