import { formOf, uploadRequest } from "../support/forms.js";
import type { Gateway, Sender } from "../support/harness.js";
import { caseOf, requestOf } from "../support/route-cases.js";
import type { UploadSite } from "./upload-site.js";

/** The result of an upload: the code is OK or that of the error. */
export interface UploadResult {
  status: number;
  code: string;
  message?: string;
  details?: { path: string; message: string }[];
  /** The id of the new camera or of the user, if the API returns it. */
  id?: string;
}

/** The fields of a new camera other than its picture. Omits undefined ones. */
export interface CameraFields {
  name?: string | undefined;
  metadata?: unknown;
}

/** An API that accepts pictures. */
export interface UploadApi {
  addCamera(
    site: UploadSite,
    file: Uint8Array,
    texts?: CameraFields & { as?: Sender },
  ): Promise<UploadResult>;
  changeUser(site: UploadSite, file: Uint8Array, options?: { as?: Sender }): Promise<UploadResult>;
}

export const addCamera = `mutation ($facilityId: UUID!, $input: CreateClientCameraInput!) {
  createClientCamera(facilityId: $facilityId, input: $input) { id } }`;
export const changeUser = "mutation ($image: Upload!) { updateMyPicture(image: $image) { id } }";

export const rest: UploadApi = {
  addCamera: (site, file, { as = site.admin, name = "Gate", metadata = {} } = {}) =>
    uploadOverRest(site.gateway, 15, {
      as,
      ids: site.ids,
      body: formOf({ cameraImage: file, cameraName: name, metadata }),
    }),
  changeUser: (site, file, { as = site.admin } = {}) =>
    uploadOverRest(site.gateway, 31, { as, ids: site.ids, body: formOf({ image: file }) }),
};

export const graphql: UploadApi = {
  addCamera: async (site, file, { as = site.admin, name = "Gate", metadata } = {}) => {
    const { facilityId } = site.ids;
    const operation = {
      query: addCamera,
      variables: { facilityId, input: { name, metadata } },
      file,
      variable: "input.image",
    };
    return resultOf(await site.gateway.fetch("/graphql", { as, ...uploadRequest(operation) }));
  },
  changeUser: async (site, file, { as = site.admin } = {}) => {
    const operation = { query: changeUser, variables: {}, file, variable: "image" };
    return resultOf(await site.gateway.fetch("/graphql", { as, ...uploadRequest(operation) }));
  },
};

export const uploadApis: [string, UploadApi][] = [
  ["REST", rest],
  ["GraphQL", graphql],
];

async function uploadOverRest(
  gateway: Gateway,
  number: number,
  { as, ids, body }: { as: Sender; ids: Record<string, string>; body: FormData },
): Promise<UploadResult> {
  const routeCase = caseOf(number);
  const response = await gateway.fetch(requestOf(routeCase, ids), {
    as,
    method: routeCase.method.toUpperCase(),
    body,
  });
  return resultOf(response);
}

/** Reads the response of either API. */
export async function resultOf(response: {
  status: number;
  text: string | (() => Promise<string>);
}): Promise<UploadResult> {
  const { status } = response;
  const text = typeof response.text === "string" ? response.text : await response.text();
  const body = text === "" ? {} : JSON.parse(text);
  const [error] = body.errors ?? [];
  const { code, message, details } = error ? { ...error, ...error.extensions } : body;
  if (code) return { status, code, message, ...(details && { details }) };
  const [changed] = Object.values<{ id: string }>(body.data ?? {});
  return { status, code: "OK", id: body.insertedItem ?? changed?.id };
}
