import { browseSharedGateway } from "./console-page.js";
import { newSite } from "./own-console.js";

const shared = browseSharedGateway();

test.each(["en-GB", "de-DE"])(
  "the audit log says all kinds of differences in words, in %s",
  async (locale) => {
    const { gateway } = shared;
    const { as, facilityId, cameraId, open } = await newSite(shared);
    const send = async (mutation: string, variables: object) =>
      Object.values(await gateway.data<Record<string, { id: string }>>(mutation, { as, variables }))[0]?.id;
    const square = [0, 100, 100].map((x, index) => ({ x, y: index * 50 }));
    const groupOf = (points: object[]) => ({
      type: "GROUP",
      operator: "AND",
      children: [
        { type: "STATIC_DELIMITATION_AREA", objects: ["PERSON"] },
        { type: "AREA", name: "Dock", color: "#ff8800", points },
      ],
    });
    const ruleId = await send(
      "mutation ($id: UUID!, $input: CreateAlertRuleInput!) { createAlertRule(cameraId: $id, input: $input) { id } }",
      {
        id: cameraId,
        input: {
          ...{
            name: "VEHICLE_IN_PEDESTRIAN_AREA",
            severity: "HIGH",
            group: groupOf(square),
            emails: ["a@example.com"],
          },
          ...{ dayRange: [1, 2], timeRange: ["2026-11-20T21:00:00.000Z", "2026-11-21T05:00:00.000Z"] },
        },
      },
    );
    const change =
      "mutation ($id: UUID!, $input: UpdateAlertRuleInput!) { updateAlertRule(id: $id, input: $input) { id } }";
    await send(change, {
      id: ruleId,
      input: { group: groupOf(square.map(({ x, y }) => ({ x: x + 9, y }))) },
    });
    await send(
      "mutation ($id: UUID!, $input: UpdateFacilityInput!) { updateFacility(id: $id, input: $input) { id } }",
      {
        id: facilityId,
        input: { geographicCoordinates: { lat: 52.5, lng: 13.4 } },
      },
    );
    await send(
      "mutation ($id: UUID!, $input: UpdateCameraInput!) { updateCamera(id: $id, input: $input) { id } }",
      {
        id: cameraId,
        input: { imageDimensions: { width: 1280, height: 720 } },
      },
    );
    await send("mutation ($input: InviteUserInput!) { inviteUser(input: $input) { id } }", {
      input: { email: "grace@example.com", roles: [], accesses: [{ facilityId, actions: ["cameras:read"] }] },
    });
    const { page } = await open("/?view=settings&part=audit", { locale });
    const differences = page.locator(".differences li");
    await differences
      .filter({ hasText: "1,280 × 720" })
      .or(differences.filter({ hasText: "1.280 × 720" }))
      .waitFor();
    const texts = await differences.allTextContents();
    expect(texts.filter((text) => /[{}[\]]|":/.test(text))).toEqual([]);
    expect(texts.join("\n")).not.toMatch(
      /[0-9a-f]{8}-[0-9a-f]{4}-7|dayRange|timeRange|geographicCoordinates/,
    );
    const isGerman = locale.startsWith("de");
    const rule = isGerman ? "Fahrzeug im Fußgängerbereich" : "Vehicle in a pedestrian area";
    expect(await page.getByText(`${rule} · Gate · Plant`).count()).toBe(2);
    for (const expected of isGerman
      ? ["Tage: Mo, Di", "Bedingungen: Die Bereiche wurden neu gezeichnet", "52.5, 13.4", "Standort: Plant"]
      : ["Days: Mon, Tue", "Conditions: the areas were redrawn", "52.5, 13.4", "Facility: Plant"])
      expect(texts.join("\n")).toContain(expected);
  },
);
