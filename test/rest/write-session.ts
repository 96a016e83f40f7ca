import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { type Gateway, type Sender, startGateway } from "../support/harness.js";
import { caseOf, initOf, requestOf } from "../support/route-cases.js";
import { createWorld, fitting, stateSettings, type World } from "./write-world.js";

/** How a good request of an endpoint is changed. */
interface Changes {
  body?: object;
  /** What its path names instead of the world's things. */
  ids?: object;
  as?: Sender;
  /** The whole query, as it is sent. */
  query?: string;
}

interface CameraView {
  [field: string]: unknown;
  streamRequests: { nodes: object[] };
  statusHistory: { nodes: object[] };
}

/** One gateway for a file of tests, and for each of its tests a world and a clock that stands still until the test moves it. */
export class Session {
  readonly start = new Date();
  clock = this.start;
  gateway!: Gateway;
  world!: World;
  #worlds = 0;

  async open(): Promise<void> {
    this.gateway = await startGateway({ ...stateSettings(this.start), now: () => this.clock });
  }

  async begin(): Promise<void> {
    this.clock = this.start;
    this.world = await this.freshWorld();
  }

  freshWorld(): Promise<World> {
    this.#worlds += 1;
    return createWorld(this.gateway.prisma, this.#worlds);
  }

  /** Sends a good request of an endpoint in the world of the test, changed by what is given. */
  async send(number: number, { body, ids, as, query }: Changes = {}) {
    const each = caseOf(number);
    const target = query === undefined ? requestOf(each, { ...this.world.ids, ...ids }) : `${each.path}?${query}`;
    const response = await this.gateway.fetch(target, { as: as ?? fitting(each, this.world.admin), ...initOf(each, body) });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: text === "" ? undefined : JSON.parse(text) };
  }

  /** As {@link Session.send}, for a request that must succeed. */
  async done(number: number, changes?: Changes): Promise<{ message?: string; insertedItem?: string }> {
    const { status, text, body } = await this.send(number, changes);
    expect({ status, text }).toEqual({ status: 200, text });
    return body;
  }

  /** What is read by REST. */
  async read(path: string, as: Sender = this.world.admin.user) {
    const response = await this.gateway.fetch(path, { as });
    return { status: response.status, body: await response.json() };
  }

  /** What is read by GraphQL. */
  data<Data>(query: string, variables: object = {}): Promise<Data> {
    return this.gateway.data<Data>(query, { as: this.world.admin.user, variables });
  }

  async camera(id: string | undefined = this.world.ids.cameraId): Promise<CameraView> {
    const query = `query ($id: UUID!) { camera(id: $id) {
      name url emailAddresses imageDimensions { width height } streamType streamProtocol facilityNodeId facilityId statusDetail
      statusHistory { nodes { statusDetail source createdAt } }
      streamRequests { nodes { streamType streamProtocol createdAt supersededAt } }
    } }`;
    return (await this.data<{ camera: CameraView }>(query, { id })).camera;
  }

  /** What users hold at the world's facility beyond their roles, by their ids. */
  async access(): Promise<Record<string, string[]>> {
    const query = "query ($id: UUID!) { facility(id: $id) { access { user { id } actions } } }";
    const { facility } = await this.data<{ facility: { access: { user: { id: string }; actions: string[] }[] } }>(query, {
      id: this.world.ids.facilityId,
    });
    return Object.fromEntries(facility.access.map(({ user, actions }) => [user.id, actions]));
  }

  /** The ids of all alerts of the world. */
  async alertIds(): Promise<string[]> {
    const { body } = await this.read("/alerts?start=0&end=253402300799999&count=1000");
    return body.data.alerts.map(({ id }: { id: string }) => id).sort();
  }
}

/** The session of a file of tests. */
export function sessionOfFile(): Session {
  const session = new Session();
  beforeAll(() => session.open());
  afterAll(() => session.gateway?.close());
  beforeEach(() => session.begin());
  return session;
}
