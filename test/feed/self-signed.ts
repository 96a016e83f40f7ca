import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** Whether certificates can be made here. */
export const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

/** A certificate that a host signed itself, with a short key as old firmware of cameras has it. */
export function selfSigned(
  host = "camera",
  kind = "rsa:1024",
  parameters: readonly string[] = ["-sha1"],
): { key: Buffer; cert: Buffer } {
  const directory = mkdtempSync(path.join(tmpdir(), "camera-"));
  try {
    const [key, cert] = [path.join(directory, "key.pem"), path.join(directory, "cert.pem")];
    const subject = ["-subj", `/CN=${host}`, "-days", "1", ...parameters];
    execFileSync(
      "openssl",
      ["req", "-x509", "-newkey", kind, "-nodes", "-keyout", key, "-out", cert, ...subject],
      { stdio: "ignore" },
    );
    return { key: readFileSync(key), cert: readFileSync(cert) };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
