/** The part of an alert that identifies pictures that are made of its own. */
export interface PicturedAlert {
  workspaceId: string;
  alertId: string;
}

const uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";

/** The keys of pictures that are made of those of alerts, in one folder of the store. */
export class AlertPictureKeys {
  readonly folder: string;
  readonly #shape: RegExp;

  constructor(folder: string) {
    this.folder = folder;
    this.#shape = new RegExp(`^${folder}/(${uuid})/(${uuid})\\.jpg$`);
  }

  /** The key of the picture of an alert. */
  keyOf({ workspaceId, alertId }: PicturedAlert): string {
    return `${this.folder}/${workspaceId}/${alertId}.jpg`;
  }

  /** The alert of a key; undefined for any other key. */
  alertOf(key: string): PicturedAlert | undefined {
    const [, workspaceId, alertId] = this.#shape.exec(key) ?? [];
    return workspaceId && alertId ? { workspaceId, alertId } : undefined;
  }
}
