/** The draft of a camera; of a new one at a facility if there is no camera. */
export const cameraDraft = (facilityId: string, camera: { id: string } | undefined): string =>
  camera ? `camera ${camera.id}` : `camera at ${facilityId}`;
