import { existsSync, readFileSync } from "node:fs";
import { validate } from "dockerfile-utils";

const dockerfile = readFileSync("deployment/Dockerfile", "utf8");
const image = dockerfile.slice(dockerfile.lastIndexOf("\nFROM "));

it("the Dockerfile has no errors", () => {
  expect(
    validate(dockerfile).map(({ message, range }) => `line ${range.start.line + 1}: ${message}`),
  ).toEqual([]);
});

it("the build gets exactly the files that it copies", () => {
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, sources]) =>
    (sources as string).split(" "),
  );
  const [, ...rules] = readFileSync("deployment/Dockerfile.dockerignore", "utf8").match(
    /^[^#\n].*$/gm,
  ) as string[];
  const admitted = rules.filter((rule) => rule.startsWith("!")).map((rule) => rule.slice(1));
  expect(new Set(admitted)).toEqual(new Set(copied));
  expect(copied.filter((name) => !existsSync(name))).toEqual([]);
});

it("the image runs the gateway as `npm start` does, not as root, and says whether it is healthy", () => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
  const [, command] = /^CMD (\[.*\])$/m.exec(image) as RegExpExecArray;
  expect(`exec ${(JSON.parse(command as string) as string[]).join(" ")}`).toBe(scripts.start);
  expect(image).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
  expect(image).toMatch(/^HEALTHCHECK .*\\\n {2}CMD \[.*\/healthz/m);
});

it("the image has ffmpeg, which opens the streams of cameras", () => {
  expect(image).toMatch(
    /^RUN apt-get update && apt-get install .* ffmpeg && rm -rf \/var\/lib\/apt\/lists\/\*$/m,
  );
});
