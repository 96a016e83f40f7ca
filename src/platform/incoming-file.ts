import type { Readable } from "node:stream";
import { GraphQLScalarType } from "graphql";
import { GraphQLUpload } from "graphql-upload-minimal";
import { ServiceError } from "./errors.js";

/** A file that is being sent: its content can be read once, as it arrives. */
export interface IncomingFile {
  createReadStream(): Readable;
}

/** A file that has arrived already and lies on this machine for as long as the request takes. */
export class ArrivedFile {
  constructor(readonly file: string) {}
}

/** An argument of the type Upload. It is no promise, because whoever runs resolvers would wait for those before any check. */
export interface Upload {
  /** The file, as soon as it begins to arrive; BAD_REQUEST when it never does. */
  arrival(): Promise<IncomingFile | ArrivedFile>;
}

/** A file as an argument, by the GraphQL multipart request specification; REST hands in files that have arrived. */
export const UploadScalar = new GraphQLScalarType<Upload, unknown>({
  name: GraphQLUpload.name,
  description:
    "A file, as a variable of a [GraphQL multipart request](https://github.com/jaydenseric/graphql-multipart-request-spec) with the header `apollo-require-preflight`; one file a request.",
  serialize: GraphQLUpload.serialize,
  parseLiteral: (node) => GraphQLUpload.parseLiteral(node) as Upload,
  parseValue: (value) => {
    if (value instanceof ArrivedFile) return { arrival: async () => value };
    const arrival = GraphQLUpload.parseValue(value) as Promise<IncomingFile>;
    return { arrival: () => arrival.catch(asMissing) };
  },
});

function asMissing(error: { status?: number }): never {
  throw new ServiceError("BAD_REQUEST", error.status === 499 ? "The upload broke off" : "The request lacks a file that its `map` names");
}
