import { PrismaPg } from "@prisma/adapter-pg";
import { PrismaClient } from "../../src/generated/prisma/client.js";
import { freshData, type Gateway, type GatewayOptions, gatewayOn } from "../support/harness.js";
import { type Prepared, prepareCalls, unansweredMessages } from "../support/mutation-calls.js";
import { StatementProxy } from "../support/statement-proxy.js";
import { createTestWorkspace, type TestWorkspace } from "../support/test-workspace.js";

/** A workspace with the objects for the mutations. */
export interface Site {
  workspace: TestWorkspace;
  prepared: Prepared;
}

/** A gateway whose statements reach a server through a proxy that decides over each. */
export class ProxiedGateway {
  #workspaces = 0;

  private constructor(
    readonly gateway: Gateway,
    readonly proxy: StatementProxy,
    /** Leads to the database past the proxy. */
    readonly prisma: PrismaClient,
  ) {}

  static async start({
    environment,
    ...options
  }: Omit<GatewayOptions, "seed"> = {}): Promise<ProxiedGateway> {
    const { variables, cleanUp } = await freshData("none");
    const url = variables.DATABASE_URL as string;
    const prisma = new PrismaClient({ adapter: new PrismaPg(url) });
    const proxy = await StatementProxy.open(url);
    const settings = {
      ...variables,
      ...unansweredMessages,
      SEED: "none",
      DATABASE_URL: proxy.url,
      DATABASE_LISTEN_URL: url,
      ...environment,
    };
    const gateway = await gatewayOn(settings, options, async () => {
      await proxy.close();
      await prisma.$disconnect();
      await cleanUp();
    });
    return new ProxiedGateway(gateway, proxy, prisma);
  }

  async freshSite(): Promise<Site> {
    const { prisma, gateway } = this;
    this.#workspaces += 1;
    const workspace = await createTestWorkspace(prisma, this.#workspaces);
    const prepared = await prepareCalls(prisma, workspace);
    await gateway.app.idle();
    return { workspace, prepared };
  }
}
