// Needs no gateway.
import { timelineOf, waitingOf } from "../../src/console/camera/timeline.js";
import {
  cameraStates,
  countIn,
  startOfState,
  statesOfConcern,
  toneOf,
  worstOf,
} from "../../src/console/fleet/camera-states.js";
import { fleetFilterOf, shownStates, statelessFilterOf } from "../../src/console/fleet/fleet-filter.js";
import type {
  CameraConditionFragment,
  CameraTimelineQuery,
  TimelineRequestFragment,
} from "../../src/generated/console.js";

const at = (minute: number) => new Date(Date.UTC(2026, 10, 26, 12, minute)).toISOString();

describe("the states of cameras", () => {
  const camera = {
    id: "c",
    statusDetail: "OPERATIONAL",
    statusDetailChangedAt: at(2),
    pictureAt: at(3),
    createdAt: at(0),
    facility: { id: "f", online: true, lastHeartbeatAt: at(1) },
  };
  const started = (state: CameraConditionFragment["state"], other: object = {}) =>
    startOfState({ ...camera, state, ...other } as CameraConditionFragment);

  test("begin when what they are told from began", () => {
    expect(cameraStates.map((state) => [state, started(state)])).toEqual([
      ["FACILITY_OFFLINE", at(1)],
      ["NO_STREAM", at(2)],
      ["FAULT_REPORTED", at(2)],
      ["NEVER_CONNECTED", at(0)],
      ["PICTURE_OLD", at(3)],
      ["WORKING", at(3)],
    ]);
    expect(started("NO_STREAM", { statusDetailChangedAt: null })).toBeUndefined();
  });

  test("are compared from worst to best, and only the best concerns nobody", () => {
    expect(worstOf([])).toBeUndefined();
    const counts = [
      { state: "WORKING", count: 5 },
      { state: "PICTURE_OLD", count: 2 },
      { state: "NO_STREAM", count: 1 },
    ] as const;
    expect(worstOf(counts)).toBe("NO_STREAM");
    expect(countIn(statesOfConcern, counts)).toBe(3);
    expect(cameraStates.filter((state) => toneOf(state) === "good")).toEqual(["WORKING"]);
    expect(cameraStates.filter((state) => !statesOfConcern.includes(state))).toEqual(["WORKING"]);
  });
});

describe("the filter of the fleet", () => {
  const filterOf = (search: string) => fleetFilterOf(new URLSearchParams(search));

  test("takes states from the address, and nothing that is no state", () => {
    expect(shownStates(filterOf("state=WORKING&state=NO_STREAM&state=constructor"))).toEqual([
      "NO_STREAM",
      "WORKING",
    ]);
    expect(shownStates(filterOf("state=constructor"))).toEqual(cameraStates);
    expect(shownStates(filterOf(""))).toEqual(cameraStates);
  });

  test("shows all that needs attention, unless states are chosen", () => {
    expect(shownStates(filterOf("operational=false"))).toEqual(statesOfConcern);
    expect(filterOf("operational=false&state=WORKING")).toMatchObject({
      states: ["WORKING"],
      isOfConcern: false,
    });
  });

  test("asks the gateway for facilities and a text, if there are any", () => {
    expect(statelessFilterOf(filterOf("facility=a&facility=b&text=+gate+&state=WORKING"))).toEqual({
      facilityIds: ["a", "b"],
      text: "gate",
    });
    expect(statelessFilterOf(filterOf("text=++"))).toEqual({});
  });
});

describe("the timeline of a camera", () => {
  const request = (id: string, minute: number, other: object = {}) =>
    ({
      id,
      createdAt: at(minute),
      expiresAt: at(minute + 30),
      supersededAt: null,
      lastCallbackAt: null,
      ...other,
    }) as TimelineRequestFragment;
  const change = (id: string, minute: number) => ({
    id,
    createdAt: at(minute),
    statusDetail: "STREAM_ERROR",
    source: "TRACKER",
  });
  const page = <Node>(nodes: Node[], hasNextPage = false) => ({ nodes, pageInfo: { hasNextPage } });
  const timeline = (statusHistory: object, streamRequests: object) => {
    const { entries, isComplete } = timelineOf({
      id: "c",
      createdAt: at(0),
      statusHistory,
      streamRequests,
    } as NonNullable<CameraTimelineQuery["camera"]>);
    return [entries.map(({ key }) => key), isComplete];
  };

  test("merges states, requests and reports, newest first", () => {
    expect(
      timeline(
        page([change("s2", 9), change("s1", 3)]),
        page([request("r2", 8), request("r1", 2, { lastCallbackAt: at(5) })]),
      ),
    ).toEqual([["s2", "r2", "r1 report", "s1", "r1", "added"], true]);
  });

  test("ends where one of its lists goes on, since entries between might be missing", () => {
    expect(timeline(page([change("s2", 9), change("s1", 6)], true), page([request("r1", 2)]))).toEqual([
      ["s2", "s1"],
      false,
    ]);
  });

  test("says of a request without a report what it waits for", () => {
    const now = new Date(at(20));
    expect(waitingOf(request("r", 10), now)).toBe("waiting");
    expect(waitingOf(request("r", 10, { expiresAt: at(15) }), now)).toBe("unanswered");
    expect(waitingOf(request("r", 10, { supersededAt: at(12) }), now)).toBe("superseded");
    expect(waitingOf(request("r", 10, { lastCallbackAt: at(11) }), now)).toBeUndefined();
  });
});
