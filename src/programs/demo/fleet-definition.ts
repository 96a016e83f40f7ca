export interface FacilityDefinition {
  name: string;
  address: string;
  latitude: number;
  longitude: number;
  timeZoneId: string;
  cameras: string[];
}

export const demoFacilities: FacilityDefinition[] = [
  {
    name: "Istanbul Distribution Centre",
    address: "Liman Caddesi 14, 34903 Pendik, Istanbul",
    latitude: 40.8776,
    longitude: 29.2363,
    timeZoneId: "Europe/Istanbul",
    cameras: [
      "Dock 1–4 north",
      "Dock 5–8 south",
      "Aisle A cross-walk",
      "Aisle F high bay",
      "Lorry park",
      "Main gate",
    ],
  },
  {
    name: "Amsterdam Terminal",
    address: "Westhavenweg 62, 1042 AL Amsterdam",
    latitude: 52.4061,
    longitude: 4.8143,
    timeZoneId: "Europe/Amsterdam",
    cameras: ["Gate in", "Gate out", "Quay dock 2", "Cold store aisle", "Staff parking", "Berth extension"],
  },
  {
    name: "São Paulo Plant",
    address: "Avenida das Nações Unidas 8501, 05425-070 São Paulo",
    latitude: -23.5718,
    longitude: -46.6954,
    timeZoneId: "America/Sao_Paulo",
    cameras: [
      "Raw material dock",
      "Finished goods dock",
      "Press hall aisle",
      "Forklift crossing",
      "Visitor parking",
      "Hall 3 construction",
    ],
  },
  {
    name: "Kathmandu Works",
    address: "Balaju Industrial District 7, Kathmandu 44600",
    latitude: 27.7343,
    longitude: 85.3021,
    timeZoneId: "Asia/Kathmandu",
    cameras: ["East gate", "Crane yard", "Scaffold tower", "Parts store", "Dispatch dock", "Bus park"],
  },
];

export const otherFacilities: FacilityDefinition[] = [
  {
    name: "Lisbon Depot",
    address: "Avenida Infante Dom Henrique 151, 1950-406 Lisboa",
    latitude: 38.7263,
    longitude: -9.1129,
    timeZoneId: "Europe/Lisbon",
    cameras: ["Depot gate", "Depot yard"],
  },
];

/** The crossing where vehicles endanger people ever more often. */
export const badCrossing = "Aisle A cross-walk";

/** The rules of the demo cameras. Each camera gets the first two or all three. */
export const demoRules = [
  {
    name: "STATIC_DELIMITATION_AREA",
    severity: "MEDIUM",
    observation: false,
    area: "Keep-out zone",
    color: "#f59e0b",
    object: "PERSON",
    label: "person",
    pretty: "A person is in the area “Keep-out zone”",
  },
  {
    name: "VEHICLE_IN_PEDESTRIAN_AREA",
    severity: "HIGH",
    observation: false,
    area: "Walkway",
    color: "#38bdf8",
    object: "VEHICLE",
    label: "forklift",
    pretty: "A vehicle is in the area “Walkway”",
  },
  {
    name: "MIN_WORKER_IN_CONFINED_SPACE",
    severity: "LOW",
    observation: true,
    area: "Work cell",
    color: "#a78bfa",
    object: "PERSON",
    label: "person",
    pretty: "Fewer than 2 people are in the area “Work cell”",
  },
];

/** Who is told of the bad crossing. A name under `.example` never belongs to anybody. */
export const webhookOfBadCrossing = "https://safety-desk.demo.example/alerts";

/** Permissions of the demo users with read-only access. */
export const viewerPermissions = ["facilities:read", "alerts:read", "cameras:read"];

/** The age of the demo fleet at seeding, in days: its workspaces and first alerts are that old. */
const historyDays = 90;

export const historyMs = historyDays * 24 * 3_600_000;

/** Whether a camera of the demo fleet lost its stream in the last night before seeding. */
export const isWithoutStream = (index: number): boolean => index === 8;
