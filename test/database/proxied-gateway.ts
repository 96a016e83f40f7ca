import { PrismaPg } from "@prisma/adapter-pg";
import { PrismaClient } from "../../src/generated/prisma/client.js";
import { freshData, type Gateway, type GatewayOptions, gatewayOn } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { unansweredMessages } from "../support/mutation-calls.js";
import { StatementProxy } from "../support/statement-proxy.js";
import { createTestWorkspaces, type TestWorkspace } from "../support/test-workspace.js";

/** A gateway whose statements reach a server through a proxy that decides over each. */
export class ProxiedGateway {
  /** Those that no test has taken yet. */
  #fresh: TestWorkspace[] = [];
  #made = 0;

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

  /** A workspace that no other test has. They are made by the dozen, which takes half the time. */
  async freshWorkspace(): Promise<TestWorkspace> {
    if (this.#fresh.length === 0) {
      const numbers = listOf(24, (index) => this.#made + index + 1);
      this.#made += numbers.length;
      this.#fresh = await createTestWorkspaces(this.prisma, numbers);
    }
    const workspace = this.#fresh.pop() as TestWorkspace;
    await this.gateway.app.idle();
    return workspace;
  }
}
