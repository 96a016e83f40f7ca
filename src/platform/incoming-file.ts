import type { Readable } from "node:stream";
import { GraphQLScalarType } from "graphql";
import { GraphQLUpload } from "graphql-upload-minimal";
import { ServiceError } from "./errors.js";

/** The error for an upload that the client aborted. */
export const uploadAborted = () => new ServiceError("BAD_REQUEST", "The upload was aborted");

/** A file during its upload. Its content can be read once, as it arrives. */
export interface IncomingFile {
  createReadStream(): Readable;
}

/**
 * A file that the gateway has received. The file stays on disk for the duration of the
 * request.
 */
export class ReceivedFile {
  constructor(readonly path: string) {}
}

/**
 * An argument of the type Upload. An upload is not a promise, because the executor would
 * await a promise before any resolver runs its checks.
 */
export interface Upload {
  /** Resolves when the file begins to arrive; BAD_REQUEST if it never does. */
  open(): Promise<IncomingFile | ReceivedFile>;
}

/**
 * A file argument, as in the GraphQL multipart request specification. REST passes files
 * that it has already received.
 */
export const UploadScalar = new GraphQLScalarType<Upload, unknown>({
  name: GraphQLUpload.name,
  description:
    "A file, as a variable of a [GraphQL multipart request](https://github.com/jaydenseric/graphql-multipart-request-spec) with the header `apollo-require-preflight`; one file per request.",
  serialize: GraphQLUpload.serialize,
  parseLiteral: (node) => GraphQLUpload.parseLiteral(node) as Upload,
  parseValue: (value) => {
    if (value instanceof ReceivedFile) return { open: async () => value };
    const open = GraphQLUpload.parseValue(value) as Promise<IncomingFile>;
    return { open: () => open.catch(uploadError) };
  },
});

function uploadError(error: { status?: number }): never {
  if (error.status === 499) throw uploadAborted();
  throw new ServiceError("BAD_REQUEST", "The request has no part for a file that its `map` names");
}
