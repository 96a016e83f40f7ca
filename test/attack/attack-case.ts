import type { TcpProxy } from "../support/tcp-proxy.js";
import type { Attacker } from "./attacker.js";

/** One attack on the gateway. */
export interface Attack {
  name: string;
  /** What the attacker does. */
  description: string;
  /** Whether it is part of the short form, for CI. */
  isShort?: boolean;
  /** The scarce things that another caller has to get meanwhile. */
  alsoProbed?: readonly ("upload" | "export")[];
  /**
   * Whether the database is away meanwhile, so that queries cannot be answered: the
   * gateway reaches it through a proxy then.
   */
  cutsDatabase?: boolean;
  /**
   * Prepares what will be sent, which takes time that is not the gateway's, and returns
   * the attack itself. That tells what came of it, and throws if an answer is wrong.
   */
  prepare(attacker: Attacker, proxy?: TcpProxy): Promise<() => Promise<string>>;
}
