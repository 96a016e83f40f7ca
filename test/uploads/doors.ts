import { formOf, uploadRequest } from "../support/forms.js";
import type { Gateway, Sender } from "../support/harness.js";
import { caseOf, requestOf } from "../support/route-cases.js";
import type { UploadSite } from "./upload-site.js";

/** How an upload ended: OK, or the code of its failure. */
export interface Outcome {
  status: number;
  code: string;
  message?: string;
  details?: { path: string; message: string }[];
  /** The id of what was added or changed, as far as the door tells it. */
  id?: string;
}

/** What is said of a new camera beside its picture; undefined is left out. */
export interface CameraTexts {
  name?: string | undefined;
  metadata?: unknown;
}

/** One of the doors through which pictures come in. */
export interface Door {
  addCamera(site: UploadSite, file: Uint8Array, texts?: CameraTexts & { as?: Sender }): Promise<Outcome>;
  changeUser(site: UploadSite, file: Uint8Array, options?: { as?: Sender }): Promise<Outcome>;
}

export const addCamera = `mutation ($facilityId: UUID!, $input: CreateClientCameraInput!) {
  createClientCamera(facilityId: $facilityId, input: $input) { id } }`;
export const changeUser = "mutation ($image: Upload!) { updateMyPicture(image: $image) { id } }";

export const rest: Door = {
  addCamera: (site, file, { as = site.admin, name = "Gate", metadata = {} } = {}) =>
    restOutcome(site.gateway, 15, { as, ids: site.ids, body: formOf({ cameraImage: file, cameraName: name, metadata }) }),
  changeUser: (site, file, { as = site.admin } = {}) => restOutcome(site.gateway, 31, { as, ids: site.ids, body: formOf({ image: file }) }),
};

export const graphql: Door = {
  addCamera: async (site, file, { as = site.admin, name = "Gate", metadata } = {}) => {
    const { facilityId } = site.ids;
    const operation = { query: addCamera, variables: { facilityId, input: { name, metadata } }, file, variable: "input.image" };
    return outcomeOf(await site.gateway.fetch("/graphql", { as, ...uploadRequest(operation) }));
  },
  changeUser: async (site, file, { as = site.admin } = {}) => {
    const operation = { query: changeUser, variables: {}, file, variable: "image" };
    return outcomeOf(await site.gateway.fetch("/graphql", { as, ...uploadRequest(operation) }));
  },
};

export const doors: [string, Door][] = [
  ["REST", rest],
  ["GraphQL", graphql],
];

async function restOutcome(
  gateway: Gateway,
  number: number,
  { as, ids, body }: { as: Sender; ids: Record<string, string>; body: FormData },
): Promise<Outcome> {
  const each = caseOf(number);
  const response = await gateway.fetch(requestOf(each, ids), { as, method: each.method.toUpperCase(), body });
  return outcomeOf(response);
}

/** Reads the answer of either door. */
export async function outcomeOf(answer: { status: number; text: string | (() => Promise<string>) }): Promise<Outcome> {
  const { status } = answer;
  const text = typeof answer.text === "string" ? answer.text : await answer.text();
  const body = text === "" ? {} : JSON.parse(text);
  const [error] = body.errors ?? [];
  const { code, message, details } = error ? { ...error, ...error.extensions } : body;
  if (code) return { status, code, message, ...(details && { details }) };
  const [changed] = Object.values<{ id: string }>(body.data ?? {});
  return { status, code: "OK", id: body.insertedItem ?? changed?.id };
}
