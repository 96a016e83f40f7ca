// Runs once: no database can influence what is tested here.
import { describe, expect, it } from "vitest";
import { readDatabaseUrl } from "../../src/environment.js";
import { gatewaySettings, runCommand } from "../support/running-command.js";

describe("commands/token", () => {
  it("prints its usage without a user", async () => {
    const { code, output, errors } = await runCommand("commands/token", { environment: gatewaySettings({}) });
    expect({ code, output }).toEqual({ code: 1, output: "" });
    expect(errors).toMatch(/^Usage: npm run token -- 'demo\|admin'\n$/);
  });

  it("fails when tokens come from an identity provider", async () => {
    const environment = {
      ...gatewaySettings({}),
      AUTH_JWT_SECRET: undefined,
      AUTH_ISSUER: "https://id.example",
      AUTH_AUDIENCE: "cameras",
    };
    const { code, output, errors } = await runCommand("commands/token", {
      environment,
      parameters: ["demo|admin"],
    });
    expect({ code, output }).toEqual({ code: 1, output: "" });
    expect(errors).toMatch(/^Tokens come from the identity provider.*\n$/);
  });
});

describe("commands/bootstrap", () => {
  it.each([
    ["no parameters", []],
    ["no email address", ["--workspace", "Plant", "--auth-id", "idp|1"]],
    ["no workspace", ["--email", "one@plant.example"]],
  ])("prints its usage when given %s", async (_name, parameters) => {
    const { code, output, errors } = await runCommand("commands/bootstrap", { parameters });
    expect({ code, output }).toEqual({ code: 1, output: "" });
    expect(errors).toMatch(/^Usage: npm run bootstrap -- --workspace .*--auth-id .* --email .*\n$/);
  });

  it("reports the fault of each parameter", async () => {
    const parameters = ["--workspace", "\u3164", "--auth-id", "idp|1", "--email", "nobody"];
    const { code, errors } = await runCommand("commands/bootstrap", { parameters });
    expect({ code, errors }).toEqual({
      code: 1,
      errors: "--workspace must not be blank\n--email must be an email address\n",
    });
  });
});

describe("commands/sign-in", () => {
  it.each([
    ["no address", []],
    ["two addresses", ["one@plant.example", "two@plant.example"]],
  ])("prints its usage when given %s", async (_name, parameters) => {
    const { code, output, errors } = await runCommand("commands/sign-in", { parameters });
    expect({ code, output }).toEqual({ code: 1, output: "" });
    expect(errors).toMatch(/^Usage: npm run sign-in -- .*\n$/);
  });

  it("says what is wrong with each of its parameters", async () => {
    const parameters = ["nobody", "--workspace", "Plant"];
    const { code, errors } = await runCommand("commands/sign-in", { parameters });
    expect(code).toBe(1);
    expect(errors).toMatch(/^email must be an email address\nworkspace must be .*\n$/);
  });

  it("fails when users sign in at an identity provider", async () => {
    const environment = { AUTH_ISSUER: "https://id.example" };
    const { code, output, errors } = await runCommand("commands/sign-in", {
      environment,
      parameters: ["one@plant.example"],
    });
    expect({ code, output }).toEqual({ code: 1, output: "" });
    expect(errors).toMatch(/^Users sign in at the identity provider.*\n$/);
  });
});

describe("without a database server", () => {
  it.each([
    ["no DATABASE_URL", undefined, /^DATABASE_URL is not set.*$/],
    ["an empty one", "", /^DATABASE_URL is not set.*$/],
    [
      "one of another kind",
      "mysql://root:open-sesame@db.example/x",
      /^DATABASE_URL must be a postgresql:\/\/ or postgres:\/\/ URL, for example DATABASE_URL=postgresql:.*$/,
    ],
  ])("commands fail with a one-line error: %s", (_name, DATABASE_URL, message) => {
    expect(() => readDatabaseUrl({ DATABASE_URL })).toThrow(message);
  });

  it.each([
    ["migrate", []],
    ["bootstrap", ["--workspace", "Plant", "--auth-id", "idp|1", "--email", "one@plant.example"]],
  ])("commands/%s prints that error", async (command, parameters) => {
    const { code, output, errors } = await runCommand(`commands/${command}`, { parameters });
    expect({ code, output }).toEqual({ code: 1, output: "" });
    expect(errors).toMatch(/^DATABASE_URL is not set.*\n$/);
  });
});
