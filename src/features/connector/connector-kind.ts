export const ConnectorKind = { FRIGATE: "FRIGATE", MQTT: "MQTT", OTHER: "OTHER" } as const;
export type ConnectorKind = (typeof ConnectorKind)[keyof typeof ConnectorKind];

export const UnmappedSourceKind = { CAMERA: "CAMERA", ZONE: "ZONE" } as const;
export type UnmappedSourceKind = (typeof UnmappedSourceKind)[keyof typeof UnmappedSourceKind];
