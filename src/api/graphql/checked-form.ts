import { finished, Transform, type TransformCallback } from "node:stream";
import busboy, { type Busboy } from "busboy";
import { ServiceError } from "../../platform/errors/errors.js";
import { parseJson, RefusedJsonError } from "../../platform/json/bounded-json.js";
import { isRecord } from "../../platform/record.js";
import { errorOf } from "../../platform/thrown.js";

const maxFieldLength = 1024 * 1024;
/** The parser counts a field of exactly the maximum size as cut off. */
export const maxFieldSize = maxFieldLength + 1;
/** The maximum length of what precedes the file: two fields, and the headers of their parts. */
const maxHeadLength = 2 * maxFieldLength + 64 * 1024;

/**
 * The body of a [GraphQL multipart request](https://github.com/jaydenseric/graphql-multipart-request-spec), as the
 * request that graphql-upload-minimal reads. The library follows paths through inherited properties, and does not catch
 * the second error of a malformed part. Therefore a parser of the same kind, with the same limits, reads each chunk
 * first. Chunks are passed on unchanged once it has found no fault, and those up to the field `map` once its paths were
 * checked. The library reads no field after that one.
 */
export class CheckedForm extends Transform {
  /** The library reads no other header. */
  readonly headers: { "content-type": string };
  readonly #parser: Busboy;
  /** The chunks up to the field `map`; undefined once they were passed on. */
  #head: Buffer[] | undefined = [];
  #headLength = 0;
  #operations = "";
  #paths: readonly string[] | undefined;
  #refusal: Error | undefined;

  constructor(contentType: string) {
    // In this mode, the library gets the same chunks as the parser here. What follows the
    // end of a form is read if it is in the same chunk.
    super({ readableObjectMode: true, readableHighWaterMark: 1 });
    // The library compares the type with its case.
    this.headers = { "content-type": contentType.replace(/^[^;]*/, "multipart/form-data") };
    this.#parser = parserOf(this.headers)
      .on("field", (name, text, { valueTruncated }) => {
        try {
          this.#readField(name, text, valueTruncated);
        } catch (error) {
          this.#refuse(error);
        }
      })
      .on("fieldsLimit", () => {
        if (!this.#paths) this.#refuse(missingMap());
      })
      .on("file", (_name, content) => {
        content.on("error", () => {}).resume();
        if (!this.#paths) this.#refuse(malformed("files must follow the fields operations and map"));
      })
      .on("filesLimit", () => this.#refuse(malformed("it has more than one file")))
      .on("error", () => this.#refuse(incomplete()));
  }

  /** Where the file belongs in the operation: at variables that are null. */
  get paths(): readonly string[] {
    return this.#paths ?? [];
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#parser.write(chunk, (error) => {
      if (error) this.#refuse(error);
      if (this.#refusal) done(this.#refusal);
      else if (!this.#head) done(null, chunk);
      else this.#passHead(this.#head, chunk, done);
    });
  }

  override _flush(done: TransformCallback): void {
    finished(this.#parser, () => {
      if (!this.#parser.writableFinished) this.#refuse(incomplete());
      if (!this.#paths) this.#refuse(missingMap());
      done(this.#refusal);
    });
    this.#parser.end();
    // A file that began after the end of the form would never end.
    setImmediate(() => this.#parser.destroy());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#parser.destroy();
    done(error);
  }

  #passHead(head: Buffer[], chunk: Buffer, done: TransformCallback): void {
    head.push(chunk);
    this.#headLength += chunk.length;
    if (this.#paths) {
      this.#head = undefined;
      for (const held of head) this.push(held);
      done();
    } else if (this.#headLength > maxHeadLength)
      done(tooLarge(`The fields operations and map have more than ${maxHeadLength} bytes`));
    else done();
  }

  #readField(name: string, text: string, isCut: boolean): void {
    if (isCut) throw tooLarge(`The multipart field ${name} has more than ${maxFieldLength} bytes`);
    if (name === "operations") this.#operations = text;
    if (name !== "map") return;
    const operation = parsedField("operations", this.#operations);
    this.#paths = checkedPaths(parsedField("map", text), operation);
  }

  #refuse(reason: unknown): void {
    this.#refusal ??= errorOf(reason);
  }
}

function parserOf(headers: { "content-type": string }): Busboy {
  // The fields are operations and map.
  const limits = { fields: 2, fieldSize: maxFieldSize, files: 1 };
  try {
    return busboy({ headers, defParamCharset: "utf8", limits });
  } catch {
    throw new ServiceError("BAD_REQUEST", "The Content-Type of the body has no boundary");
  }
}

/**
 * The paths of the file. There is at most one file, since several would wait for each other if the resolver
 * read them in another order than the client sends them.
 */
function checkedPaths(map: Record<string, unknown>, operation: Record<string, unknown>): string[] {
  const lists = Object.values(map);
  if (lists.length > 1) throw tooLarge("A request has at most one file");
  return lists.flatMap((paths) => {
    if (!Array.isArray(paths)) throw malformed("the field map must hold lists of paths");
    return paths.map(String).map((path) => {
      const { parent, name } = memberAt(path, operation);
      if (!path.startsWith("variables.") || parent[name] !== null) throw notNull();
      // A second path must not lead here again.
      parent[name] = true;
      return path;
    });
  });
}

interface Member {
  parent: Record<string, unknown>;
  name: string;
}

/**
 * The object and the name of the member at which a path ends. Inherited values are refused: all requests share them.
 */
export function memberAt(path: string, operation: object): Member {
  const steps = path.split(".");
  const name = steps.pop() ?? "";
  let parent: unknown = operation;
  for (const step of steps) parent = hasOwn(parent, step) ? parent[step] : undefined;
  if (!hasOwn(parent, name)) throw notNull();
  return { parent, name };
}

const hasOwn = (value: unknown, name: string): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name);

function parsedField(name: string, text: string): Record<string, unknown> {
  try {
    const value = parseJson(text);
    if (isRecord(value)) return value;
  } catch (error) {
    if (!(error instanceof RefusedJsonError)) throw error;
    throw malformed(`the field ${name} ${error.message}`);
  }
  throw malformed(`the field ${name} must be an object`);
}

const tooLarge = (message: string) => new ServiceError("PAYLOAD_TOO_LARGE", message);

const notNull = () => malformed("the field map must point to variables that are null");

const missingMap = () => malformed("the field map is missing");

export const malformed = (reason: string) =>
  new ServiceError("BAD_REQUEST", `The body is not a GraphQL multipart request: ${reason}`);

const incomplete = () =>
  new ServiceError("BAD_REQUEST", "The body is not a complete GraphQL multipart request");
