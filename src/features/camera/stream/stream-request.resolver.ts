import { FieldResolver, Resolver, Root } from "type-graphql";
import { RequiresColumns } from "../../../engine/reading/annotations.js";
import { textWithoutSecrets } from "../../../platform/network/url-secrets.js";
import type { StreamRequestRow } from "./stream-request.loader.js";
import { StreamRequest } from "./stream-request.type.js";

/** Reports of the feed server may repeat the URL. They are stored without secrets, but older ones may have some. */
@Resolver(() => StreamRequest)
export class StreamRequestResolver {
  @RequiresColumns("errorOperation")
  @FieldResolver(() => String, {
    nullable: true,
    description:
      "The operation that failed, as reported by the feed server, without secrets of URLs; `probe` or `picture` if the gateway opened the stream. Null if no operation failed. A later success does not clear it.",
  })
  errorOperation(@Root() { errorOperation }: StreamRequestRow): string | null {
    return errorOperation == null ? null : textWithoutSecrets(errorOperation);
  }

  @RequiresColumns("errorMessage")
  @FieldResolver(() => String, {
    nullable: true,
    description:
      "Why the operation failed, as reported by the feed server, without secrets of URLs, or in a sentence for `errorCode`. Null if no operation failed. A later success does not clear it.",
  })
  errorMessage(@Root() { errorMessage }: StreamRequestRow): string | null {
    return errorMessage == null ? null : textWithoutSecrets(errorMessage);
  }
}
