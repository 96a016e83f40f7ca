// Needs no gateway.
import { credentialsOf, sessionCredentialsIn } from "../../src/console/session/credentials.js";

const token = "eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl";
const key = "cmk_0123456789abcdef";
const ofToken = { authorization: `Bearer ${token}`, kind: "token" };
const ofKey = { authorization: `Basic ${btoa(`${key}:`)}`, kind: "key" };

test.each([
  [`Bearer ${token}`, ofToken],
  [`  bearer\u00a0${token}\u200b `, ofToken],
  [`\ufeffAuthorization: Bearer ${token}`, ofToken],
  [`\u200e${token.slice(0, 20)}\u00ad${token.slice(20)}\u2060`, ofToken],
  [`\u2800${token}\u3164`, ofToken],
  [`\u200b${key}\u200d\u3000`, ofKey],
  [`Bearer ${key}`, ofKey],
  [`${key}:`, ofKey],
  [ofKey.authorization, ofKey],
  [" \u200b", undefined],
  [`“${token}”`, undefined],
])("credentials are taken as they are copied: %j", (copied, credentials) => {
  expect(credentialsOf(copied)).toEqual(credentials);
});

test.each([
  "[]",
  '"Bearer x"',
  '{"kind":"token"}',
  '{"authorization":"Bearer x"}',
  '{"authorization":"Bearer x\\ny","kind":"token"}',
  '{"authorization":"Bearer “x”","kind":"token"}',
  '{"authorization":{"toString":1},"kind":"key"}',
])("%s is no session, whoever has kept it", (kept) => {
  expect(sessionCredentialsIn(JSON.parse(kept))).toBeUndefined();
});
