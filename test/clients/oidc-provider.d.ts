declare module "oidc-provider" {
  import type { RequestListener } from "node:http";

  /** As much of the provider as the tests use. */
  export default class Provider {
    constructor(issuer: string, configuration: object);
    callback(): RequestListener;
  }
}
