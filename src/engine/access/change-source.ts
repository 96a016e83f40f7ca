/** The way by which a change came, as the audit log names it. */
export const ChangeVia = {
  GRAPHQL: "GRAPHQL",
  REST: "REST",
  MCP: "MCP",
  CONNECTOR: "CONNECTOR",
  GATEWAY: "GATEWAY",
} as const;
export type ChangeVia = (typeof ChangeVia)[keyof typeof ChangeVia];

/** Where a change comes from, besides its actor. */
export interface ChangeSource {
  readonly via: ChangeVia;
  /** What the client calls itself; undefined if it does not say. */
  readonly client?: string | undefined;
}
