export const english = {
  lead: "Everything here comes from the public API. Copy a call, or run it in the playground; it contains no credentials.",
  query: "Query",
  variables: "Variables",
  rest: "Request",
  noRest: "No REST path answers this.",
  openPlayground: "Open in the playground",
};
