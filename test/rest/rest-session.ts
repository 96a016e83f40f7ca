import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { type Gateway, type Sender, startGateway } from "../support/harness.js";
import { caseOf, initOf, requestOf } from "../support/route-cases.js";
import {
  createTestWorkspace,
  senderFor,
  stateSettings,
  type TestWorkspace,
} from "../support/test-workspace.js";

/** Changes to a valid request of an endpoint. */
interface Changes {
  body?: object;
  /** Ids for the path, instead of the workspace's. */
  ids?: object;
  as?: Sender;
  /** The complete query string. */
  query?: string;
}

interface CameraView {
  [field: string]: unknown;
  streamRequests: { nodes: object[] };
  statusHistory: { nodes: object[] };
}

/**
 * One gateway per test file. Each test gets its own workspace, and a clock that stands
 * still until advanced.
 */
export class RestSession {
  readonly start = new Date();
  clock = this.start;
  gateway!: Gateway;
  workspace!: TestWorkspace;
  #workspaces = 0;

  async open(): Promise<void> {
    this.gateway = await startGateway({ ...stateSettings(this.start), now: () => this.clock });
  }

  async begin(): Promise<void> {
    this.clock = this.start;
    this.workspace = await this.freshWorkspace();
  }

  freshWorkspace(): Promise<TestWorkspace> {
    this.#workspaces += 1;
    return createTestWorkspace(this.gateway.prisma, this.#workspaces);
  }

  /** Sends a valid request to an endpoint in the test's workspace, with changes. */
  async send(number: number, { body, ids, as, query }: Changes = {}) {
    const each = caseOf(number);
    const target =
      query === undefined ? requestOf(each, { ...this.workspace.ids, ...ids }) : `${each.path}?${query}`;
    const response = await this.gateway.fetch(target, {
      as: as ?? senderFor(each, this.workspace.admin),
      ...initOf(each, body),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: text === "" ? undefined : JSON.parse(text),
    };
  }

  /** Like {@link RestSession.send}, but expects success. */
  async done(number: number, changes?: Changes): Promise<{ message?: string; insertedItem?: string }> {
    const { status, text, body } = await this.send(number, changes);
    expect({ status, text }).toEqual({ status: 200, text });
    return body;
  }

  /** Reads by REST. */
  async read(path: string, as: Sender = this.workspace.admin.user) {
    const response = await this.gateway.fetch(path, { as });
    return { status: response.status, body: await response.json() };
  }

  /** Reads by GraphQL. */
  data<Data>(query: string, variables: object = {}): Promise<Data> {
    return this.gateway.data<Data>(query, { as: this.workspace.admin.user, variables });
  }

  async camera(id: string | undefined = this.workspace.ids.cameraId): Promise<CameraView> {
    const writable = Object.keys(caseOf(3).sends ?? {}).map((name) =>
      name === "imageDimensions" ? `${name} { width height }` : name,
    );
    const query = `query ($id: UUID!) { camera(id: $id) {
      ${writable.join(" ")} facilityId statusDetail
      statusHistory { nodes { statusDetail source createdAt } }
      streamRequests { nodes { streamType streamProtocol createdAt supersededAt } }
    } }`;
    return (await this.data<{ camera: CameraView }>(query, { id })).camera;
  }

  /** The users' actions at the workspace's facility beyond their roles, by user id. */
  async access(): Promise<Record<string, string[]>> {
    const query = "query ($id: UUID!) { facility(id: $id) { access { user { id } actions } } }";
    const { facility } = await this.data<{
      facility: { access: { user: { id: string }; actions: string[] }[] };
    }>(query, {
      id: this.workspace.ids.facilityId,
    });
    return Object.fromEntries(facility.access.map(({ user, actions }) => [user.id, actions]));
  }

  /** The ids of all alerts of the workspace. */
  async alertIds(): Promise<string[]> {
    const { body } = await this.read("/alerts?start=0&end=253402300799999&count=1000");
    return body.data.alerts.map(({ id }: { id: string }) => id).sort();
  }
}

/** Sets up a session for a test file. */
export function restSessionOfFile(): RestSession {
  const session = new RestSession();
  beforeAll(() => session.open());
  afterAll(() => session.gateway?.close());
  beforeEach(() => session.begin());
  return session;
}
