import type { Readable } from "node:stream";
import { GraphQLError, GraphQLScalarType } from "graphql";
import { ServiceError } from "../errors/errors.js";

export const uploadAborted = () => new ServiceError("BAD_REQUEST", "The upload was aborted");

/** A file during its upload. Its content can be read once, as it arrives. */
export interface IncomingFile {
  createReadStream(): Readable;
}

/** A file that the gateway has received. It stays on disk for the duration of the request. */
export class ReceivedFile {
  constructor(readonly path: string) {}
}

/** An argument of the type Upload. No promise, which the executor would await before a resolver runs its checks. */
export interface Upload {
  /** Resolves when the file begins to arrive; BAD_REQUEST if it never does. */
  open(): Promise<IncomingFile | ReceivedFile>;
}

/** A file whose part of a multipart request has not arrived yet. */
export class AwaitedFile {
  constructor(readonly arrival: Promise<IncomingFile>) {
    // A resolver that refuses the operation does not wait for the file.
    arrival.catch(() => {});
  }
}

/**
 * A file argument, as in the GraphQL multipart request specification. REST passes files that it has already received.
 */
export const UploadScalar = new GraphQLScalarType<Upload, unknown>({
  name: "Upload",
  description:
    "A file, as a variable of a [GraphQL multipart request](https://github.com/jaydenseric/graphql-multipart-request-spec) with the header `apollo-require-preflight`; one file per request.",
  parseValue: (value) => {
    if (value instanceof ReceivedFile) return { open: async () => value };
    if (value instanceof AwaitedFile) return { open: () => value.arrival };
    throw new GraphQLError("A file must be a part of a multipart request");
  },
});
