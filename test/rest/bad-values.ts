import type { MemberKind } from "../support/route-cases.js";
import { unknown } from "./fleet.js";

/** What is no good value of each kind of member, and where it is named, if not by the member. */
export type Bad = [what: string, value: unknown, below?: string];

const noText: Bad[] = [
  ["a number", 5],
  ["a list", ["x"]],
  ["an object", { x: 1 }],
  ["true", true],
  ["with a NUL", "x\0y"],
  ["with half a character", "x\ud800y"],
];
const noUuid: Bad[] = [
  ...noText,
  ["empty", ""],
  ["no UUID", "x"],
  ["a UUID without hyphens", unknown.cameraId.replaceAll("-", "")],
  ["a UUID in braces", `{${unknown.cameraId}}`],
];
const textOf = (longest: number): Bad[] => [...noText, ["empty", ""], ["blank", " \t\n"], ["too long", "x".repeat(longest + 1)]];
const noList: Bad[] = [
  ["a text", "x"],
  ["a number", 5],
  ["an object", { 0: "x" }],
];

export const badValues: Record<MemberKind, Bad[]> = {
  name: textOf(200),
  "part of a name": textOf(100),
  title: [...noText, ["too long", "x".repeat(201)]],
  "camera url": [
    ...noText,
    ["empty", ""],
    ["no URL", "camera.example/yard"],
    ["without a host", "rtsp://"],
    ["of a file", "file:///etc/passwd"],
    ["of FTP", "ftp://camera.example/yard"],
    ["a script", "javascript:alert(1)"],
    ["with a space", "rtsp://camera.example/a b"],
    ["with a line break", "rtsp://camera.example/\nyard"],
    ["with a bad port", "rtsp://camera.example:99999/"],
    ["too long", "rtsp://camera.example/".padEnd(2049, "x")],
  ],
  "e-mails": [
    ...noList,
    ["a list of no address", ["ada@test.example", "ada"], "1"],
    ["a list of a number", [5], "0"],
    ["a list of null", [null], "0"],
    ["a list of an empty text", [""], "0"],
    ["a list of a name and an address", ["Ada <ada@test.example>"], "0"],
    ["a list of an address with a line break", ["ada@test.example\nBcc: all@test.example"], "0"],
    ["a list of a long address", [`ada@${"test.".repeat(64)}example`], "0"],
    ["a list of 51", Array.from({ length: 51 }, (_, index) => `ada${index}@test.example`)],
  ],
  dimensions: [
    ["a text", "1280x720"],
    ["a list", [1280, 720]],
    ["without a width", { height: 720 }, "width"],
    ["without a height", { width: 1280 }, "height"],
    ["of null", { width: null, height: 720 }, "width"],
    ["of text", { width: "1280", height: 720 }, "width"],
    ["of zero", { width: 1280, height: 0 }, "height"],
    ["of less", { width: -1, height: 720 }, "width"],
    ["of too much", { width: 1280, height: 1_000_001 }, "height"],
  ],
  "stream type": [...noText, ["empty", ""], ["of no such type", "satellite"], ["in capitals", "DIRECT"]],
  "stream protocol": [...noText, ["empty", ""], ["of no such protocol", "https"], ["in capitals", "RTSP"]],
  stream: [
    ...noText,
    ["empty", ""],
    ["of no such type", "satellite"],
    ["in capitals", "DIRECT"],
    ["without a type", { protocol: "rtsp" }],
    ["an object of no such type", { type: "satellite" }],
    ["an object of no such protocol", { type: "direct", protocol: "https" }],
    ["an object in capitals", { type: "direct", protocol: "RTSP" }],
  ],
  uuid: noUuid,
  "status detail": [...textOf(100), ["with a line break", "LENS\nDIRTY"], ["with an escape", "LENS\u001bDIRTY"]],
  "status source": [...noText, ["empty", ""], ["of no such source", "SOMEBODY"], ["in small letters", "tracker"]],
  "phone number": [
    ...textOf(50),
    ["no number", "call me"],
    ["too short", "123"],
    ["of another country", "+49 151 23456789"],
    ["with words around it", "my number is 0532 123 45 67"],
    ["with too many digits", "0532 123 45 67 89 01"],
  ],
  region: [...noText, ["empty", ""], ["too long", "TUR"], ["no letters", "90"], ["no country", "XX"], ["blank", "  "]],
  actions: [
    ...noList,
    ["an empty list", []],
    ["a list of an unknown action", ["alerts:read", "alerts:everything"], "1"],
    ["a list in capitals", ["ALERTS:READ"], "0"],
    ["a list of a number", [5], "0"],
    ["a list of null", [null], "0"],
    ["a list of a list", [["alerts:read"]], "0"],
    ["a list of a star", ["*"], "0"],
  ],
};
