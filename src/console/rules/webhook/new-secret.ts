/** The length of a new secret in bytes, as Standard Webhooks recommends. */
const secretBytes = 32;

/** A new secret for signing the requests of a webhook, by Standard Webhooks. */
export function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(secretBytes));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}
