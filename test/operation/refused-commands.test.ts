// Runs once: no database can influence what is tested here.
// Takes long: it starts commands as processes.
import { gatewaySettings, runCommand } from "../support/running-command.js";

const { AUTH_JWT_SECRET: _secret, ...settings } = gatewaySettings({});
const ofIssuer = { ...settings, AUTH_ISSUER: "https://id.example", AUTH_AUDIENCE: "cameras" };

it.each<[what: string, command: string, given: Parameters<typeof runCommand>[1], errors: RegExp]>([
  [
    "token prints its usage without a user",
    "token",
    { environment: gatewaySettings({}) },
    /^Usage: npm run token -- 'demo\|admin'\n$/,
  ],
  [
    "token fails when tokens come from an identity provider",
    "token",
    { environment: ofIssuer, parameters: ["demo|admin"] },
    /^Tokens come from the identity provider.*\n$/,
  ],
  [
    "bootstrap prints its usage when given no email address",
    "bootstrap",
    { parameters: ["--workspace", "Plant", "--auth-id", "idp|1"] },
    /^Usage: npm run bootstrap -- --workspace .*--auth-id .* --email .*\n$/,
  ],
  [
    "bootstrap reports the fault of each parameter",
    "bootstrap",
    { parameters: ["--workspace", "\u3164", "--auth-id", "idp|1", "--email", "nobody"] },
    /^--workspace must not be blank\n--email must be an email address\n$/,
  ],
  [
    "sign-in prints its usage when given two addresses",
    "sign-in",
    { parameters: ["one@plant.example", "two@plant.example"] },
    /^Usage: npm run sign-in -- .*\n$/,
  ],
  [
    "sign-in says what is wrong with each of its parameters",
    "sign-in",
    { parameters: ["nobody", "--workspace", "Plant"] },
    /^email must be an email address\nworkspace must be .*\n$/,
  ],
  [
    "sign-in fails when users sign in at an identity provider",
    "sign-in",
    { environment: { AUTH_ISSUER: "https://id.example" }, parameters: ["one@plant.example"] },
    /^Users sign in at the identity provider.*\n$/,
  ],
  [
    "migrate fails with a one-line error without a database server",
    "migrate",
    {},
    /^DATABASE_URL is not set.*\n$/,
  ],
])("commands/%s", async (_what, command, given, errors) => {
  expect(await runCommand(`commands/${command}`, given)).toEqual({
    code: 1,
    output: "",
    errors: expect.stringMatching(errors),
  });
});
