import { onServer } from "./databases.js";
import { createApiKey, createCamera, createFacility, createWorkspace } from "./factories.js";
import { dataForTest, type Gateway } from "./harness.js";
import { listOf } from "./list-of.js";

const timeouts = { statement_timeout: 30_000, idle_in_transaction_session_timeout: 35_000 };

/**
 * A database on the server with the time-outs that a gateway needs behind a pooler: the
 * settings that lead to it, and its URL.
 */
export async function databaseForPooler(): Promise<{ variables: Record<string, string>; url: string }> {
  const variables = await dataForTest();
  const url = variables.DATABASE_URL as string;
  const name = new URL(url).pathname.slice(1);
  for (const [setting, value] of Object.entries(timeouts))
    await onServer(url, `ALTER DATABASE "${name}" SET ${setting} = ${value}`);
  return { variables, url };
}

/**
 * Runs a number of reads at once, each several times so that their statements get
 * prepared, and checks their answers.
 */
export async function readRepeatedly(gateway: Gateway): Promise<void> {
  const workspaceId = await createWorkspace(gateway.prisma);
  const { authorization } = await createApiKey(gateway.prisma, {
    workspaceId,
    permissions: ["cameras:read"],
  });
  const facilityId = await createFacility(gateway.prisma, { workspaceId });
  await createCamera(gateway.prisma, { workspaceId, facilityId, name: "Gate" });
  const answers: unknown[] = [];
  for (let round = 0; round < 8; round += 1) {
    const documents = ["{ workspace { cameras { name } } }", "{ workspace { id } }"];
    answers.push(
      ...(await Promise.all(documents.map((document) => gateway.data(document, { as: { authorization } })))),
    );
  }
  const [cameras, workspace] = [
    { workspace: { cameras: [{ name: "Gate" }] } },
    { workspace: { id: workspaceId } },
  ];
  expect(answers).toEqual(listOf(8, () => [cameras, workspace]).flat());
}
