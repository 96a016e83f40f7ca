import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { parse } from "yaml";
import { secretSettings, unknownSettings } from "./gateway-settings.js";

const file = "deployment/compose.yaml";
const connectorsFile = "deployment/connectors.compose.yaml";

interface Service {
  environment: Record<string, string>;
  entrypoint?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  volumes?: string[];
  networks?: string[];
}

/** A file as Compose reads it with these variables. */
function compose(variables: Record<string, string>, from = file) {
  const interpolate = (text: string) =>
    text.replace(/\$\{(\w+):([-?])([^}]*)\}/g, (_match, name, operator, word) => {
      if (operator === "?" && !variables[name]) throw new Error(`${name} ${word}`);
      return variables[name] || word;
    });
  const values = (_key: unknown, value: unknown) => (typeof value === "string" ? interpolate(value) : value);
  return parse(readFileSync(from, "utf8"), values, { merge: true }) as { services: Record<string, Service> };
}

const variables = { POSTGRES_PASSWORD: "secret", ...secretSettings };

it.each([file, connectorsFile])(
  "%s fits the Compose specification and dclint's recommendations",
  async (name) => {
    // The order of keys is the reader's.
    const disabled = [
      "service-keys-order",
      "services-alphabetical-order",
      "top-level-properties-order",
      "require-quotes-in-ports",
    ];
    const options = [
      "--max-warnings=0",
      "--color=false",
      ...disabled.map((rule) => `--disable-rule=${rule}`),
    ];
    const { stdout } = await promisify(execFile)("node_modules/.bin/dclint", [name, ...options]).catch(
      (error) => error,
    );
    expect(stdout.trim()).toBe("");
  },
);

it("gives the gateways settings that they know and start with", () => {
  const { services } = compose(variables);
  const environments = ["gateway-1", "gateway-2", "migration"].map(
    (name) => (services[name] as Service).environment,
  );
  expect(environments.map(unknownSettings)).toEqual([[], [], []]);
});

it("refuses to start anything without secrets", () => {
  expect(() => compose({ ...variables, LINK_SECRET: "" })).toThrow("LINK_SECRET is required");
  expect(() => compose({ ...variables, POSTGRES_PASSWORD: "" })).toThrow("POSTGRES_PASSWORD is required");
});

it("lets both gateways share pictures, and write nowhere else", () => {
  const { services } = compose(variables);
  for (const name of ["gateway-1", "gateway-2"]) {
    expect(services[name]).toMatchObject({ read_only: true, cap_drop: ["ALL"], volumes: ["pictures:/data"] });
  }
});

it("keeps the database and Redis from everything but the gateways", () => {
  const { services } = compose(variables);
  const inside = Object.keys(services).filter((name) => services[name]?.networks?.includes("internal"));
  expect(inside.sort()).toEqual(["gateway-1", "gateway-2", "migration", "postgresql", "redis"]);
  expect(services.proxy?.networks).toEqual(["public"]);
  const outside = Object.keys(services).filter((name) => services[name]?.networks?.includes("public"));
  expect(outside.sort()).toEqual(["gateway-1", "gateway-2", "proxy"]);
});

it("runs the connectors as npm does, and lets them write their state alone", () => {
  const { services } = compose({}, connectorsFile);
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
  const kinds = Object.keys(scripts).flatMap((name) => /^connect:(\w+)$/.exec(name)?.[1] ?? []);
  expect(kinds).toContain("mqtt");
  for (const kind of kinds) {
    const { entrypoint, ...service } = services[kind] as Service;
    expect(`exec ${entrypoint?.join(" ")}`).toBe(`${scripts[`connect:${kind}`]} /configuration.json`);
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      volumes: [`./${kind}.json:/configuration.json:ro`, `${kind}:/data`],
    });
  }
});
