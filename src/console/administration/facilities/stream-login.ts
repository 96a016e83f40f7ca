/** A URL of a stream without its user information, which is plain text here and percent-encoded in the URL. */
export interface StreamLogin {
  address: string;
  user: string;
  password: string;
}

/** Up to the last @ before the path: what every parser takes for the user information. */
const encoded = /^([a-z]+:\/\/)([^/?#]*)@(.*)$/is;
/** A password that is not encoded may contain /, ? and #; digits and a slash after the host are its port. */
const typed = /^([a-z]+:\/\/)(?![^:]*:\d{1,5}\/)([^/?#:]+:.*)@([^/?#@\s]+.*)$/is;

/** A URL taken apart, also one whose password contains characters that should have been encoded. */
export function streamLogin(url: string): StreamLogin {
  const parts = encoded.exec(url) ?? typed.exec(url);
  const [, scheme = "", login = "", rest = ""] = parts ?? [];
  if (!parts) return { address: url, user: "", password: "" };
  const [user = "", ...password] = login.split(":");
  return { address: `${scheme}${rest}`, user: decoded(user), password: decoded(password.join(":")) };
}

export function urlWithLogin({ address, user, password }: StreamLogin): string {
  if (user === "" && password === "") return address;
  const login = encodeURIComponent(user) + (password === "" ? "" : `:${encodeURIComponent(password)}`);
  return address.replace("://", () => `://${login}@`);
}

/** The network that an address in a URL probably belongs to; undefined for host names. */
export function likelyNetwork(url: string): string | undefined {
  const { address } = streamLogin(url);
  const host = URL.canParse(address) ? new URL(address).hostname : "";
  const [, network] = /^(\d+\.\d+\.\d+)\.\d+$/.exec(host) ?? [];
  return network && `${network}.0/24`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
