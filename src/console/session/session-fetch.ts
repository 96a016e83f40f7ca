import { authorization, isToRenew, renew } from "./session.js";

interface SessionRequest extends Omit<RequestInit, "headers"> {
  headers?: Record<string, string>;
}

/** Sends a request as the viewer. Renews the session if that is due, or if the gateway refuses its token. */
export async function fetchWithSession(
  address: string,
  { headers, ...request }: SessionRequest = {},
): Promise<Response> {
  const send = (present: string | undefined) =>
    fetch(address, {
      ...request,
      headers: { ...headers, ...(present !== undefined && { authorization: present }) },
      // The browser would ask for a password itself.
      credentials: "omit",
    });
  if (isToRenew()) await renew();
  const used = authorization();
  const response = await send(used);
  if (response.status !== 401 || used === undefined) return response;
  // Another tab may have renewed it meanwhile.
  if (authorization() === used) await renew();
  const next = authorization();
  return next === undefined || next === used ? response : send(next);
}
