/** A placeholder for the camera. Readers must enter one of theirs. */
const unknownCamera = "00000000-0000-0000-0000-000000000000";

/** The time that the page waits for the camera, in milliseconds. */
const timeout = 5_000;

/** The camera of the examples: the first one visible to the ready token. */
export async function firstCameraId(headers: Record<string, string> | undefined): Promise<string> {
  if (headers === undefined) return unknownCamera;
  try {
    const query = "{ searchCameras(filter: {}, first: 1) { nodes { id } } }";
    const request = {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ query }),
      signal: AbortSignal.timeout(timeout),
    };
    const { data } = (await (await fetch("/graphql", request)).json()) as {
      data?: { searchCameras: { nodes: { id: string }[] } };
    };
    return data?.searchCameras.nodes[0]?.id ?? unknownCamera;
  } catch {
    return unknownCamera;
  }
}
