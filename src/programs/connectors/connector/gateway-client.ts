import { retryAfterMs } from "../../../platform/network/retry-after.js";
import { codeOf, errorOf } from "../../../platform/thrown.js";
import { version } from "../../../platform/version.js";

interface Operation<Data, Variables> {
  toString(): string;
  __apiType?: (variables: Variables) => Data;
}

/** Why the gateway did not do what it was asked. */
export class GatewayError extends Error {
  constructor(
    /** A code of the API, or UNREACHABLE if no response of the gateway came. */
    readonly code: string,
    message: string,
    /** The faulty arguments. */
    readonly details: readonly { path: string; message: string }[] = [],
    /** How long the gateway asks to wait. */
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }

  /** Whether the same call may succeed later, also with a refused key, whose permissions may be renewed. */
  get mayPass(): boolean {
    return transientCodes.has(this.code);
  }
}

const transientCodes = new Set(["UNREACHABLE", "UNAVAILABLE", "RATE_LIMITED", "INTERNAL", "UNAUTHENTICATED"]);

const timeoutMs = 30_000;

interface GraphQLResponse<Data> {
  data?: Data | null;
  errors?: {
    message: string;
    extensions?: { code?: string; details?: { path: string; message: string }[] };
  }[];
}

interface GatewaySettings {
  url: string;
  apiKey: string;
}

/** The gateway's public API, as the holder of an API key uses it. */
export class GatewayClient {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #onCall: (operation: string, outcome: string) => void;

  constructor(
    { url, apiKey }: GatewaySettings,
    /** What the gateway is to know the connector by in its metrics and log. */
    clientName: string,
    /** Hears the name of each operation, and OK or the code of its error. */
    onCall: (operation: string, outcome: string) => void = () => {},
  ) {
    this.#url = `${url}/graphql`;
    this.#onCall = onCall;
    this.#headers = {
      authorization: `Basic ${Buffer.from(`${apiKey}:`).toString("base64")}`,
      "content-type": "application/json",
      "apollographql-client-name": clientName,
      "apollographql-client-version": version,
    };
  }

  /** Runs an operation. Throws a {@link GatewayError} unless all of its data came. */
  async run<Data, Variables extends object>(
    operation: Operation<Data, Variables>,
    variables: Variables,
    signal?: AbortSignal,
  ): Promise<Data> {
    const query = operation.toString();
    const [, name = "?"] = /(?:query|mutation)\s+(\w+)/.exec(query) ?? [];
    try {
      const data = await this.#send<Data>(JSON.stringify({ query, variables }), signal);
      this.#onCall(name, "OK");
      return data;
    } catch (error) {
      if (error instanceof GatewayError) this.#onCall(name, error.code);
      throw error;
    }
  }

  async #send<Data>(body: string, signal?: AbortSignal): Promise<Data> {
    const timeout = AbortSignal.timeout(timeoutMs);
    let response: Response;
    let text: string;
    try {
      response = await fetch(this.#url, {
        method: "POST",
        headers: this.#headers,
        body,
        redirect: "error",
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      text = await response.text();
    } catch (error) {
      signal?.throwIfAborted();
      throw new GatewayError("UNREACHABLE", `The gateway cannot be reached: ${reasonOf(error)}`);
    }
    return dataOf(response, text);
  }
}

function dataOf<Data>(response: Response, text: string): Data {
  const { data, errors } = parsed<Data>(text);
  const [error] = errors ?? [];
  const wait = retryAfterMs(response.headers, new Date());
  if (error) {
    const { code = "INTERNAL", details } = error.extensions ?? {};
    throw new GatewayError(code, error.message, details, wait);
  }
  if (data == null)
    throw new GatewayError(
      "UNREACHABLE",
      `Not the gateway, but something before it answered with status ${response.status}`,
      [],
      wait,
    );
  return data;
}

function parsed<Data>(text: string): GraphQLResponse<Data> {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

/** What made a request fail; `fetch` hides it in the cause. */
export function reasonOf(error: unknown): string {
  const { cause, message, name } = errorOf(error);
  if (name === "TimeoutError") return "no answer came in time";
  return (cause instanceof Error && (cause.message || codeOf(cause))) || message;
}
