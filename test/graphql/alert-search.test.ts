import { createAdmin, createAlertComment, createAlerts, createPlace } from "../support/factories.js";
import { sharedGateway } from "../support/harness.js";

const gateway = await sharedGateway();
const { prisma } = gateway;
const place = await createPlace(prisma);
const admin = await createAdmin(prisma, place.workspaceId);
const wide = { canvasDimensions: { width: 200, height: 100 }, imageDimensions: { width: 20, height: 20 } };
const forklift = { label: "Forklift", attributes: { load: true, colour: "red" } };
const [seen, labelled, plain, broken, walked, odd] = (await createAlerts(prisma, [
  {
    ...place,
    name: "VEHICLE_NEAR",
    alertRuleName: "Gate by Night",
    info: { objects: [forklift] },
    ...wide,
    violatingCoordinates: [{ x: 100, y: 100 }],
  },
  {
    ...place,
    name: "FALL",
    info: { objects: ["person", 1, null] },
    imageDimensions: { width: 10, height: 10 },
    violatingCoordinates: [
      { x: 1, y: 1 },
      { x: 9, y: 9 },
    ],
  },
  { ...place, name: "FALL", violatingCoordinates: [{ x: 0, y: 0 }] },
  {
    ...place,
    name: "SMOKE",
    info: { objects: "forklift", labels: [{ label: "dog" }] },
    violatingCoordinates: [],
  },
  { ...place, name: "VEHICLE_IN_PEDESTRIAN_AREA", violatingCoordinates: [] },
  { ...place, name: "NOISE", info: { objects: [{ label: 'A "big" dog' }, { label: "Möwe" }, "]"] } },
] as never)) as [string, string, string, string, string, string];
await createAlertComment(prisma, { ...place, alertId: plain, text: "Öl on the FLOOR 100%" });

const period = { start: "1970-01-01T00:00:00Z", end: "9999-01-01T00:00:00Z" };
const found = async (filter: object) => {
  const { alerts } = await gateway.data<{ alerts: { totalCount: number; nodes: { id: string }[] } }>(
    "query ($filter: AlertFilter!) { alerts(filter: $filter, first: 10) { totalCount nodes { id } } }",
    { as: admin.as, variables: { filter: { ...period, ...filter } } },
  );
  expect(alerts.totalCount).toBe(alerts.nodes.length);
  return alerts.nodes.map(({ id }) => id).sort();
};

it.each<[object, string[]]>([
  [{ objectLabels: ["FORKLIFT"] }, [seen]],
  [{ objectLabels: ["forklift", "Person"] }, [seen, labelled]],
  [{ objectLabels: ["dog"] }, []],
  [{ objectLabels: ['a "BIG" dog'] }, [odd]],
  [{ objectLabels: ["]", "person"] }, [labelled, odd]],
  [{ objectAttributes: [{ name: "load", value: "true" }] }, [seen]],
  [{ objectAttributes: ["load", "colour"].map((name) => ({ name, value: "true" })) }, []],
  [{ text: "vehicle near" }, [seen]],
  [{ text: "gate BY" }, [seen]],
  [{ text: "forkl" }, [seen]],
  [{ text: "öl on the floor" }, [plain]],
  [{ text: "%" }, [plain]],
  [{ text: "FALL", types: ["SMOKE"] }, []],
  [{ text: "smoke" }, [broken]],
  [{ text: "100% floor fall" }, [plain]],
  [{ text: "floor gate" }, []],
  [{ text: "_ear" }, []],
  [{ text: "pedestrian AREA" }, [walked]],
  [{ text: "fußgängerb" }, [walked]],
  [{ box: { x1: 0.5, y1: 0.9, x2: 0.6, y2: 1 } }, [seen]],
  [{ box: { x1: 0.4, y1: 0.4, x2: 1, y2: 1 } }, [seen, labelled]],
  [{ box: { x1: 0, y1: 0, x2: 0.09, y2: 1 } }, []],
])("alerts are found by what was seen: %j", async (filter, expected) => {
  expect(await found(filter)).toEqual([...expected].sort());
});

it.each([
  [{ text: " " }, "filter.text"],
  [{ text: "x".repeat(101) }, "filter.text"],
  [{ box: { x1: 0.5, y1: 0, x2: 0.4, y2: 1 } }, "filter.box.x1"],
  [{ box: { x1: 0, y1: 0, x2: 1.1, y2: 1 } }, "filter.box.x2"],
  [{ objectAttributes: [{ name: "", value: "" }] }, "filter.objectAttributes.0.name"],
])("a search that finds nothing by its form is refused: %j", async (filter, path) => {
  const { errors } = await gateway.graphql(
    "query ($filter: AlertFilter!) { alerts(filter: $filter, first: 1) { totalCount } }",
    { as: admin.as, variables: { filter: { ...period, ...filter } } },
  );
  expect(errors?.[0]?.extensions).toMatchObject({ code: "BAD_REQUEST", details: [{ path }] });
});
