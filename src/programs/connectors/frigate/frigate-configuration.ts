import { z } from "zod";
import { baseUrl } from "../../../platform/input/setting-rules.js";
import { caFile, nameRule, secret, sharedSettings } from "../connector/configuration.js";

const seconds = (highest: number) =>
  z.number().min(0, "must be at least 0").max(highest, `must be at most ${highest}`);

const frigate = z
  .strictObject({
    url: baseUrl.describe(
      "Frigate's HTTP API: https://frigate:8971 with a login, or http://frigate:5000 within its own network.",
    ),
    username: nameRule.optional().describe("The user at Frigate; the role viewer is enough."),
    password: secret.optional().describe("The user's password."),
    caFile: caFile
      .optional()
      .describe(
        "A file with the certificate of Frigate, or of its authority, in PEM. Port 8971 has one of its own.",
      ),
    topicPrefix: nameRule
      .regex(/^[^+#]*[^+#/]$/, "must be a topic without wildcards, which does not end with /")
      .default("frigate")
      .describe("The `topic_prefix` of Frigate's configuration."),
    pictureWaitSeconds: seconds(300)
      .default(30)
      .describe("How long an alert waits for a picture that Frigate does not have yet."),
    clips: z
      .boolean()
      .default(false)
      .describe("Whether to bring the recording of a review, once it has ended, as the clip of its alert."),
    statusSettleSeconds: seconds(3600)
      .default(60)
      .describe("How long a camera must be offline, or online again, until the gateway is told."),
  })
  .refine(({ username, password }) => (password === undefined) === (username === undefined), {
    path: ["password"],
    message: "is required with a username, and the other way round",
  });

export const frigateConfiguration = z.strictObject({
  ...sharedSettings,
  frigate,
  stateFile: sharedSettings.stateFile.unwrap(),
});

export type FrigateConfiguration = z.output<typeof frigateConfiguration>;
