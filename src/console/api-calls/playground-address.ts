/**
 * The playground's address with an initial operation. The operation is in the fragment,
 * which browsers do not send to servers.
 */
export function playgroundAddress(query: string, variables: string | undefined): string {
  return `/graphql#${new URLSearchParams({ query, ...(variables !== undefined && { variables }) })}`;
}
