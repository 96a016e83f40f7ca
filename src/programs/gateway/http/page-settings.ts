import type { Environment } from "../../../engine/settings/environment.js";
import type { SettingsForRequest } from "../../../platform/pages/page.js";
import type { PageSettings } from "../../../platform/pages/settings.js";
import { version } from "../../../platform/version.js";
import { mailsSignInLinks } from "../workers/deliveries.js";
import type { InitialToken } from "../workers/demo.js";

/** Makes the settings of all pages. `publicUrl` begins links, and `initialToken` is the token that pages start with. */
export function pageSettings(
  environment: Environment,
  publicUrl: () => string,
  initialToken: InitialToken,
): SettingsForRequest {
  const identityProvider = identityProviderOf(environment);
  return async (request): Promise<PageSettings> => {
    const token = await initialToken(request);
    return {
      publicUrl: publicUrl(),
      version,
      mailsSignInLinks: mailsSignInLinks(environment),
      ...(identityProvider && { identityProvider }),
      ...(token !== undefined && { initialToken: token }),
    };
  };
}

function identityProviderOf({
  AUTH_ISSUER,
  AUTH_AUDIENCE,
  CONSOLE_CLIENT_ID,
  CONSOLE_SCOPE,
}: Environment): PageSettings["identityProvider"] {
  if (!AUTH_ISSUER || !AUTH_AUDIENCE || !CONSOLE_CLIENT_ID) return undefined;
  return { issuer: AUTH_ISSUER, audience: AUTH_AUDIENCE, clientId: CONSOLE_CLIENT_ID, scope: CONSOLE_SCOPE };
}
