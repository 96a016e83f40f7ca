import type { RawRequest } from "../http/raw-request.js";

/** A part of a multipart body, to the letter. */
export interface FormPart {
  name?: string;
  /** Makes it a file for most who read it. */
  filename?: string;
  type?: string;
  /** Its headers instead of those that follow from the rest. */
  headers?: string;
  content: string | Uint8Array;
}

export const edge = "edge-of-the-form";
export const formType = `multipart/form-data; boundary=${edge}`;

/** A part as it stands in a body, with the line break that ends it. */
export function partText({ name, filename, type, headers, content }: FormPart): Buffer {
  const disposition = [
    "Content-Disposition: form-data",
    ...(name === undefined ? [] : [`name="${name}"`]),
    ...(filename === undefined ? [] : [`filename="${filename}"`]),
  ].join("; ");
  const lines = headers ?? [disposition, ...(type ? [`Content-Type: ${type}`] : [])].join("\r\n");
  return Buffer.concat([Buffer.from(`--${edge}\r\n${lines}\r\n\r\n`), Buffer.from(content as string), Buffer.from("\r\n")]);
}

/** What ends a body. */
export const ending = Buffer.from(`--${edge}--\r\n`);

/** A body of parts, with its end. */
export const bodyOf = (parts: FormPart[]): Buffer => Buffer.concat([...parts.map(partText), ending]);

/** The headers and the body of a request with these parts. */
export function multipart(parts: FormPart[]): Required<Pick<RawRequest, "headers">> & { body: Uint8Array<ArrayBuffer> } {
  return { headers: { "content-type": formType }, body: Uint8Array.from(bodyOf(parts)) };
}
