import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { BlockList, isIPv6 } from "node:net";
import path from "node:path";
import type { IDeployment } from "kubernetes-models/apps/v1";
import type { IHorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2";
import type { IJob } from "kubernetes-models/batch/v1";
import type { INetworkPolicy } from "kubernetes-models/networking.k8s.io/v1";
import type { IPodDisruptionBudget } from "kubernetes-models/policy/v1";
import type { IConfigMap, IContainer, IPodSpec, IService } from "kubernetes-models/v1";
import ts from "typescript";
import { parse } from "yaml";
import { secretSettings, unknownSettings } from "./gateway-settings.js";

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
}

interface Pod {
  metadata: { labels: Record<string, string> };
  spec: IPodSpec;
}

const directory = "deployment/kubernetes";
const read = (file: string) => parse(readFileSync(path.join(directory, file), "utf8"), { merge: true });
const kustomization = read("kustomization.yaml") as { resources: string[]; images: { name: string }[] };
const manifests: Manifest[] = kustomization.resources.map(read);

const find = <Kind>(kind: string): Kind => manifests.find((manifest) => manifest.kind === kind) as Kind;
const deployment = find<IDeployment>("Deployment");
const pods = [deployment, find<IJob>("Job")].map(({ spec }) => spec?.template as Pod);
const [gatewayPod, migrationPod] = pods as [Pod, Pod];
const containers = pods.flatMap(({ spec }) => spec.containers);

it("the kustomization names every manifest and the image", () => {
  const files = readdirSync(directory).filter((file) => file !== "kustomization.yaml");
  expect(files.sort()).toEqual([...kustomization.resources].sort());
  expect(new Set(containers.map(({ image }) => image))).toEqual(
    new Set(kustomization.images.map(({ name }) => name)),
  );
});

it.each(manifests)("$kind fits the schema of Kubernetes", (manifest) => {
  const models = createRequire(import.meta.url)(`kubernetes-models/${manifest.apiVersion}`);
  expect(() => new models[manifest.kind](manifest).validate()).not.toThrow();
});

it("no manifest has a field that Kubernetes does not know", () => {
  const file = path.resolve("test/deployment/manifests.virtual.ts");
  const declarations = manifests.map(
    (manifest, index) =>
      `import type { I${manifest.kind} } from "kubernetes-models/${manifest.apiVersion}"; export const manifest${index}: I${manifest.kind} = ${JSON.stringify(manifest)};`,
  );
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === file || fileExists(name);
  host.getSourceFile = (name, ...others) =>
    name === file
      ? ts.createSourceFile(name, declarations.join("\n"), ts.ScriptTarget.ESNext)
      : getSourceFile(name, ...others);
  const diagnostics = ts.getPreEmitDiagnostics(ts.createProgram([file], options, host));
  expect(diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))).toEqual(
    [],
  );
});

/** The variables of a container at run time. */
function environmentOf({ env = [], envFrom = [] }: IContainer): Record<string, string> {
  const fromMaps = envFrom.map(({ configMapRef }) => {
    expect(configMapRef?.name).toBe(find<IConfigMap>("ConfigMap").metadata?.name);
    return find<IConfigMap>("ConfigMap").data ?? {};
  });
  const secrets = env.map(({ name, valueFrom }) => [
    name,
    secretSettings[valueFrom?.secretKeyRef?.key as string] ?? "",
  ]);
  return { ...Object.assign({}, ...fromMaps), ...Object.fromEntries(secrets) };
}

it("gives the gateway settings that it knows and starts with", () => {
  const [gateway] = gatewayPod.spec.containers as [IContainer];
  expect(unknownSettings(environmentOf(gateway))).toEqual([]);
  const [migration] = migrationPod.spec.containers as [IContainer];
  expect(environmentOf(migration)).toEqual({ DATABASE_URL: secretSettings.DATABASE_URL });
});

it("takes secrets by reference alone", () => {
  expect(manifests.map(({ kind }) => kind)).not.toContain("Secret");
  expect(
    containers.flatMap(({ env = [] }) => env).filter(({ valueFrom }) => !valueFrom?.secretKeyRef),
  ).toEqual([]);
  expect(
    Object.keys(find<IConfigMap>("ConfigMap").data ?? {}).filter((name) =>
      /SECRET|TOKEN|PASSWORD|_URL$/.test(name),
    ),
  ).toEqual(["PUBLIC_URL"]);
});

it("runs everything as a user without privileges, on a file system that it cannot write to", () => {
  for (const { spec } of pods)
    expect(spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    });
  for (const { securityContext } of containers) {
    expect(securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
  }
});

it("the service, the budget and the autoscaler belong to the gateway, not to the migration", () => {
  const labels = gatewayPod.metadata.labels;
  const { selector } = find<IService>("Service").spec ?? {};
  const { selector: budgeted } = find<IPodDisruptionBudget>("PodDisruptionBudget").spec ?? {};
  expect([selector, budgeted?.matchLabels, deployment.spec?.selector.matchLabels]).toEqual([
    labels,
    labels,
    labels,
  ]);
  expect(migrationPod.metadata.labels).not.toMatchObject(labels);
  const { scaleTargetRef } = find<IHorizontalPodAutoscaler>("HorizontalPodAutoscaler").spec ?? {};
  const { apiVersion, kind, metadata } = deployment;
  expect(scaleTargetRef).toEqual({ apiVersion, kind, name: metadata?.name });
});

it("lets gateways connect to names, the database, Redis and public addresses alone", () => {
  const { podSelector, policyTypes, egress = [] } = find<INetworkPolicy>("NetworkPolicy").spec ?? {};
  expect(podSelector?.matchLabels).toEqual(gatewayPod.metadata.labels);
  expect(policyTypes).toEqual(["Egress"]);
  const anywhere = egress.filter(({ to }) => !to).flatMap(({ ports = [] }) => ports.map(({ port }) => port));
  expect(anywhere).toEqual([53, 53, 5432, 6379]);
  const addresses = new BlockList();
  for (const { ipBlock } of egress.flatMap(({ to = [] }) => to)) {
    for (const network of ipBlock?.except ?? []) {
      const [address, prefix] = network.split("/") as [string, string];
      addresses.addSubnet(address, Number(prefix), isIPv6(address) ? "ipv6" : "ipv4");
    }
  }
  for (const inside of ["10.96.0.1", "172.17.0.1", "192.168.1.20", "169.254.169.254"])
    expect(addresses.check(inside), inside).toBe(true);
  expect(addresses.check("fd00::1", "ipv6")).toBe(true);
  expect(addresses.check("203.0.113.7")).toBe(false);
});

it("sends requests only to gateways that are ready, and restarts those that are not alive", () => {
  const [gateway] = gatewayPod.spec.containers as [IContainer];
  const { readinessProbe, livenessProbe, startupProbe } = gateway;
  expect([readinessProbe, livenessProbe, startupProbe].map((probe) => probe?.httpGet?.path)).toEqual([
    "/readyz",
    "/healthz",
    "/healthz",
  ]);
});

it("leaves a gateway the 15 s that requests in flight may take, and some to close", () => {
  const { SHUTDOWN_DELAY } = find<IConfigMap>("ConfigMap").data as { SHUTDOWN_DELAY: string };
  expect(Number(SHUTDOWN_DELAY)).toBeLessThanOrEqual(10_000);
  expect(gatewayPod.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(20);
});
