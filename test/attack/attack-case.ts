import type { TcpProxy } from "../support/tcp-proxy.js";
import type { Attacker } from "./attacker.js";

/** One attack on the gateway. */
export interface Attack {
  name: string;
  /** The attacker's actions. */
  description: string;
  /** Whether the attack is part of the short form, for CI. */
  isShort?: boolean;
  /** The scarce resources that another caller must get meanwhile. */
  alsoProbed?: readonly ("upload" | "export")[];
  /**
   * Whether the database is away meanwhile, so that queries cannot be answered: the
   * gateway reaches it through a proxy then.
   */
  cutsDatabase?: boolean;
  /** Whether the gateway has an embedded database. */
  isEmbedded?: boolean;
  /**
   * Prepares the data to send, because preparing takes time that is not the gateway's.
   * Returns the attack itself, which returns its outcome, and throws if an answer is
   * wrong.
   */
  prepare(attacker: Attacker, proxy?: TcpProxy): Promise<() => Promise<string>>;
}
