// Wording that descriptions in the schema share. The documentation of the REST API takes its descriptions from there.

/** For the `id` of an object that the gateway creates. */
export const assignedId = "Assigned by the gateway; it never changes.";

/** For a name that people choose. */
export const chosenName = "1 to 200 printable characters, not blank. Need not be unique.";

export const pixelsFromLeft = "Pixels to the right of the left edge.";
export const pixelsFromTop = "Pixels below the top edge.";

/** For a field that no mutation changes. */
export const readOnly = "Read-only: set outside of this API.";

/** For a link to a picture. */
export const linkTo = (picture: string) =>
  `A link to ${picture}; null if there is none. It works without credentials for at least an hour.`;

/** For an argument with the ID of an object that a query looks up. */
export const idToFind = (what: string) =>
  `The ID of ${what}. If there is none with this ID, or the caller may not see it, the result is null without an error.`;

/** For an argument with the ID of an object that must exist. */
export const existingId = (what: string) =>
  `The ID of ${what}. NOT_FOUND if there is none with this ID, or the caller may not see it.`;
