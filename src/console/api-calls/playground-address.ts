/**
 * The playground's address with an operation to start with. It is in the fragment, which
 * no server gets to see.
 */
export function playgroundAddress(query: string, variables: string | undefined): string {
  return `/graphql#${new URLSearchParams({ query, ...(variables !== undefined && { variables }) })}`;
}
