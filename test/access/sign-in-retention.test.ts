import { randomUUID } from "node:crypto";
import { createApiKey, createUser, createWorkspace } from "../support/factories.js";
import { type Call, ownGateway, run } from "../support/harness.js";
import { codeOf, signInLink } from "../support/sign-in-link.js";

const minute = 60_000;
let time = Date.now();
const gateway = await ownGateway({ now: () => new Date(time) });

const workspaceId = await createWorkspace(gateway.prisma);

/** A key outlasts what tests do to the clock. */
const admin = { as: await createApiKey(gateway.prisma, { workspaceId, permissions: ["users:write"] }) };

/** Moves the clock to the next round of all workspaces, and waits for its end. */
async function nextRound(): Promise<void> {
  time += 15 * minute;
  const invite: Call = [
    "mutation ($email: String!) { inviteUser(input: { email: $email }) { id } }",
    { email: `${randomUUID()}@test.example` },
  ];
  await run(gateway, admin, invite);
  await gateway.app.idle();
}

const signIn = async (url: string) => {
  const { data, errors } = await gateway.graphql<{ signIn: { token: string } | null }>(
    "mutation ($code: String!) { signIn(code: $code) { token } }",
    { variables: { code: codeOf(url) } },
  );
  return data?.signIn ? "signed in" : errors?.[0]?.extensions.code;
};

it("used codes are kept for an hour after they expired, as other instances' clocks may be behind", async () => {
  const email = `${randomUUID()}@test.example`;
  const id = await createUser(gateway.prisma, { workspaceId, email });
  const expiresAt = new Date(time + 15 * minute);
  const { url } = signInLink({ kind: "user", workspaceId, id, email }, { expiresAt });
  expect(await signIn(url)).toBe("signed in");
  const kept = () => gateway.prisma.usedSignInCode.count({ where: { workspaceId } });
  for (let round = 1; round <= 4; round += 1) await nextRound();
  expect(await kept()).toBe(1);
  const now = time;
  // An instance whose clock is behind.
  time = expiresAt.getTime() - minute;
  expect(await signIn(url)).toBe("UNAUTHENTICATED");
  time = now;
  await nextRound();
  expect(await kept()).toBe(0);
});
