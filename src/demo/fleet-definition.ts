import type { ObjectKind, SceneKind } from "./scene/scene.js";

/** A camera of the demo fleet: its name and the kind of scene it films. */
export interface CameraDefinition {
  name: string;
  scene: SceneKind;
  /** A crossing where vehicles endanger people ever more often. */
  isBadCrossing?: boolean;
}

/** A facility of the demo fleet. */
export interface FacilityDefinition {
  name: string;
  address: string;
  latitude: number;
  longitude: number;
  timeZoneId: string;
  cameras: CameraDefinition[];
}

/** A kind of alert rule used by the demo cameras. */
export interface RuleDefinition {
  name: string;
  severity: "LOW" | "MEDIUM" | "HIGH";
  observation: boolean;
  area: string;
  color: string;
  object: ObjectKind;
  /** Whether it is about too few objects: alerts show one then, and otherwise up to three. */
  isShortage?: boolean;
  pretty: string;
}

export const demoFacilities: FacilityDefinition[] = [
  {
    name: "Istanbul Distribution Centre",
    address: "Liman Caddesi 14, 34903 Pendik, Istanbul",
    latitude: 40.8776,
    longitude: 29.2363,
    timeZoneId: "Europe/Istanbul",
    cameras: [
      { name: "Dock 1–4 north", scene: "loading-dock" },
      { name: "Dock 5–8 south", scene: "loading-dock" },
      { name: "Aisle A cross-walk", scene: "warehouse-aisle", isBadCrossing: true },
      { name: "Aisle F high bay", scene: "warehouse-aisle" },
      { name: "Lorry park", scene: "car-park" },
      { name: "Main gate", scene: "main-gate" },
    ],
  },
  {
    name: "Amsterdam Terminal",
    address: "Westhavenweg 62, 1042 AL Amsterdam",
    latitude: 52.4061,
    longitude: 4.8143,
    timeZoneId: "Europe/Amsterdam",
    cameras: [
      { name: "Gate in", scene: "main-gate" },
      { name: "Gate out", scene: "main-gate" },
      { name: "Quay dock 2", scene: "loading-dock" },
      { name: "Cold store aisle", scene: "warehouse-aisle" },
      { name: "Staff parking", scene: "car-park" },
      { name: "Berth extension", scene: "construction-yard" },
    ],
  },
  {
    name: "São Paulo Plant",
    address: "Avenida das Nações Unidas 8501, 05425-070 São Paulo",
    latitude: -23.5718,
    longitude: -46.6954,
    timeZoneId: "America/Sao_Paulo",
    cameras: [
      { name: "Raw material dock", scene: "loading-dock" },
      { name: "Finished goods dock", scene: "loading-dock" },
      { name: "Press hall aisle", scene: "warehouse-aisle" },
      { name: "Forklift crossing", scene: "warehouse-aisle" },
      { name: "Visitor parking", scene: "car-park" },
      { name: "Hall 3 construction", scene: "construction-yard" },
    ],
  },
  {
    name: "Kathmandu Works",
    address: "Balaju Industrial District 7, Kathmandu 44600",
    latitude: 27.7343,
    longitude: 85.3021,
    timeZoneId: "Asia/Kathmandu",
    cameras: [
      { name: "East gate", scene: "main-gate" },
      { name: "Crane yard", scene: "construction-yard" },
      { name: "Scaffold tower", scene: "construction-yard" },
      { name: "Parts store", scene: "warehouse-aisle" },
      { name: "Dispatch dock", scene: "loading-dock" },
      { name: "Bus park", scene: "car-park" },
    ],
  },
];

export const otherFacilities: FacilityDefinition[] = [
  {
    name: "Lisbon Depot",
    address: "Avenida Infante Dom Henrique 151, 1950-406 Lisboa",
    latitude: 38.7263,
    longitude: -9.1129,
    timeZoneId: "Europe/Lisbon",
    cameras: [
      { name: "Depot gate", scene: "main-gate" },
      { name: "Depot yard", scene: "car-park" },
    ],
  },
];

/** The rules of the demo cameras. Each camera gets the first two or all three. */
export const demoRules: RuleDefinition[] = [
  {
    name: "STATIC_DELIMITATION_AREA",
    severity: "MEDIUM",
    observation: false,
    area: "Keep-out zone",
    color: "#f59e0b",
    object: "PERSON",
    pretty: "A person is in the area “Keep-out zone”",
  },
  {
    name: "VEHICLE_IN_PEDESTRIAN_AREA",
    severity: "HIGH",
    observation: false,
    area: "Walkway",
    color: "#38bdf8",
    object: "VEHICLE",
    pretty: "A vehicle is in the area “Walkway”",
  },
  {
    name: "MIN_WORKER_IN_CONFINED_SPACE",
    severity: "LOW",
    observation: true,
    area: "Work cell",
    color: "#a78bfa",
    object: "PERSON",
    isShortage: true,
    pretty: "Fewer than two persons are in the area “Work cell”",
  },
];

/** Who is told of the bad crossing. A name under `.example` never belongs to anybody. */
export const webhookOfBadCrossing = "https://safety-desk.demo.example/alerts";

/** Permissions of the demo users with read-only access. */
export const viewerPermissions = ["facilities:read", "alerts:read", "cameras:read"];

/**
 * The age of the demo fleet at seeding, in days. Its workspaces and first alerts are that
 * old.
 */
const historyDays = 90;

/** The same in milliseconds. */
export const historyMs = historyDays * 24 * 3_600_000;

/** Whether a camera of the demo fleet lost its stream in the last night before seeding. */
export const isWithoutStream = (index: number): boolean => index === 8;

/** The folder of the pictures of a camera of the demo fleet. */
export const pictureFolder = (index: number): string => `demo/camera-${index}`;

/** The key of the picture of a camera of the demo fleet. */
export const frameKey = (index: number): string => `${pictureFolder(index)}/frame.jpg`;
