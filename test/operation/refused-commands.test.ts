// Runs once: no database can influence what is tested here.
// Takes long: it starts commands as processes.
import { describe, expect, it } from "vitest";
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
  it("prints its usage when given no email address", async () => {
    const parameters = ["--workspace", "Plant", "--auth-id", "idp|1"];
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
  it("prints its usage when given two addresses", async () => {
    const parameters = ["one@plant.example", "two@plant.example"];
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

it("commands/migrate fails with a one-line error without a database server", async () => {
  const { code, output, errors } = await runCommand("commands/migrate");
  expect({ code, output }).toEqual({ code: 1, output: "" });
  expect(errors).toMatch(/^DATABASE_URL is not set.*\n$/);
});
