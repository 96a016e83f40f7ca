// Needs no gateway.
import { createHash } from "node:crypto";
import { CameraCredentials } from "../../src/features/camera-feed/relays/camera-credentials.js";

const hashes: Record<string, string> = { MD5: "md5", "SHA-256": "sha256", "SHA-512-256": "sha512-256" };

/** The parameters of a header Authorization for Digest. */
const parametersOf = (header: string | undefined) =>
  Object.fromEntries(
    [...(header ?? "").matchAll(/(\w+)=(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))/g)].map(
      ([, name, quoted, plain]) => [name as string, quoted?.replace(/\\(.)/g, "$1") ?? plain],
    ),
  );

/** Whether a header proves what RFC 7616 asks for. */
function isProof(header: string | undefined, method: string, user: string, password: string): boolean {
  const given = parametersOf(header);
  const [name = "", session] = (given.algorithm ?? "MD5").split(/(?=-sess)/i);
  const hash = (...texts: (string | undefined)[]) =>
    createHash(hashes[name.toUpperCase()] as string)
      .update(texts.join(":"))
      .digest("hex");
  const secret = hash(user, given.realm, password);
  const a1 = session ? hash(secret, given.nonce, given.cnonce) : secret;
  const a2 = given.qop === "auth-int" ? hash(method, given.uri, hash("")) : hash(method, given.uri);
  const between = given.qop ? [given.nonce, given.nc, given.cnonce, given.qop] : [given.nonce];
  return header?.startsWith("Digest ") === true && given.response === hash(a1, ...between, a2);
}

const md5 = 'Digest realm="camera", nonce="5ccc"';
const sha = 'Digest realm="camera", nonce="ab12", algorithm=SHA-256, qop="auth"';

it.each<[what: string, headers: string[], expected: object]>([
  ["MD5 without a name", [md5], { nonce: "5ccc" }],
  ["MD5 by its name", [`${md5}, algorithm="md5"`], { algorithm: "md5" }],
  ["MD5 with sessions", [`${md5}, algorithm=MD5-sess, qop="auth"`], { algorithm: "MD5-sess" }],
  ["qop", [`${md5}, qop="auth"`], { qop: "auth", nc: "00000001" }],
  ["both kinds of qop", [`${md5}, qop="auth-int,auth"`], { qop: "auth" }],
  ["qop of bodies alone", [`${md5}, qop=auth-int`], { qop: "auth-int" }],
  ["SHA-256 alone", [sha], { algorithm: "SHA-256" }],
  ["SHA-512-256 alone", [sha.replace("256", "512-256")], { algorithm: "SHA-512-256" }],
  ["MD5, then SHA-256", [md5, sha], { nonce: "5ccc" }],
  ["SHA-256, then MD5", [sha, md5], { nonce: "5ccc" }],
  ["both in one header", [`${sha}, ${md5}`], { nonce: "5ccc" }],
  ["both in one header, without blanks", [`${sha.replaceAll(", ", ",")},${md5}`], { nonce: "5ccc" }],
  ["Basic besides", ['Basic realm="camera"', md5, 'Basic realm="other"'], { nonce: "5ccc" }],
  [
    "what nobody knows besides",
    ["Negotiate YII=", 'Digest algorithm=SHA3, nonce="1"', sha],
    { nonce: "ab12" },
  ],
  [
    "quotes and commas",
    ['Digest realm="a \\"b\\", Basic realm=x, c", nonce="5,c=c", opaque="o,p=", stale=FALSE'],
    { realm: 'a "b", Basic realm=x, c', nonce: "5,c=c", opaque: "o,p=" },
  ],
  ["blanks around signs", ['  digest  Realm = "camera" ,nonce= "5ccc"'], { realm: "camera", nonce: "5ccc" }],
])("a camera that offers %s gets a proof for it", (_what, headers, expected) => {
  const credentials = new CameraCredentials("ada:wo%22rd:x@");
  credentials.challenge(headers);
  const header = credentials.authorization("DESCRIBE", "rtsp://camera/live?a=b");
  expect(parametersOf(header)).toMatchObject({ username: "ada", uri: "rtsp://camera/live?a=b", ...expected });
  expect(isProof(header, "DESCRIBE", "ada", 'wo"rd:x')).toBe(true);
});

it("a number for proofs is used again with another count", () => {
  const credentials = new CameraCredentials("ada:word@");
  expect(credentials.authorization("GET", "/")).toBeUndefined();
  expect(credentials.challenge([sha])).toEqual({ isStale: false });
  const [first, second] = ["/1", "/2"].map((uri) => credentials.authorization("GET", uri));
  expect([first, second].map((header) => parametersOf(header).nc)).toEqual(["00000001", "00000002"]);
  expect(isProof(second, "GET", "ada", "word")).toBe(true);
  expect(credentials.challenge([`${sha.replace("ab12", "cd34")}, stale=TRUE`])).toEqual({ isStale: true });
  expect(parametersOf(credentials.authorization("GET", "/3"))).toMatchObject({
    nonce: "cd34",
    nc: "00000001",
  });
});

it.each([
  ["user:word@", "user:word"],
  ["us%40er:wo:rd%25@", "us@er:wo:rd%"],
  ["u@site.example:%zz@", "u@site.example:%zz"],
  ["user@", "user:"],
  ["%C3%B6:ö@", "ö:ö"],
])("Basic has the user and the password of %s", (userInfo, expected) => {
  const credentials = new CameraCredentials(userInfo);
  credentials.challenge(['Basic realm="camera"']);
  const [, encoded = ""] = credentials.authorization("GET", "/")?.split(" ") ?? [];
  expect(Buffer.from(encoded, "base64").toString()).toBe(expected);
});

it("a name of other characters than those of ASCII is sent in UTF-8", () => {
  const credentials = new CameraCredentials("ö:ü@");
  credentials.challenge([md5]);
  const header = Buffer.from(credentials.authorization("GET", "/") ?? "", "latin1").toString();
  expect(isProof(header, "GET", "ö", "ü")).toBe(true);
});

it.each<[string[], string]>([
  [[], "UNAUTHORIZED"],
  [["Negotiate", 'Bearer realm="x"'], "UNSUPPORTED"],
  [['Digest realm="x", nonce="y", algorithm=SHA3-256'], "UNSUPPORTED"],
])("a camera that offers %j gets none: %s", (headers, code) => {
  const credentials = new CameraCredentials("ada:word@");
  expect(() => credentials.challenge(headers)).toThrow(expect.objectContaining({ code }));
});
