import type { RawRequest } from "../http/raw-request.js";

/** A raw part of a multipart body. */
export interface FormPart {
  name?: string;
  /** Most parsers treat a part with a file name as a file. */
  filename?: string;
  type?: string;
  /** Headers that replace those derived from the other properties. */
  headers?: string;
  content: string | Uint8Array;
}

export const boundary = "form-boundary";
export const formType = `multipart/form-data; boundary=${boundary}`;

/** Encodes a part, including the line break that ends it. */
export function encodePart({ name, filename, type, headers, content }: FormPart): Buffer {
  const disposition = [
    "Content-Disposition: form-data",
    ...(name === undefined ? [] : [`name="${name}"`]),
    ...(filename === undefined ? [] : [`filename="${filename}"`]),
  ].join("; ");
  const lines = headers ?? [disposition, ...(type ? [`Content-Type: ${type}`] : [])].join("\r\n");
  return Buffer.concat([
    Buffer.from(`--${boundary}\r\n${lines}\r\n\r\n`),
    Buffer.from(content as string),
    Buffer.from("\r\n"),
  ]);
}

/** The delimiter that ends a body. */
export const closingDelimiter = Buffer.from(`--${boundary}--\r\n`);

/** Encodes a complete body. */
export const encodeBody = (parts: FormPart[]): Buffer =>
  Buffer.concat([...parts.map(encodePart), closingDelimiter]);

/** The headers and body of a request with these parts. */
export function multipart(
  parts: FormPart[],
): Required<Pick<RawRequest, "headers">> & { body: Uint8Array<ArrayBuffer> } {
  return { headers: { "content-type": formType }, body: Uint8Array.from(encodeBody(parts)) };
}
