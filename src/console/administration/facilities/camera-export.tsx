import { PresentCamerasDocument } from "../../../generated/console.js";
import { Query } from "../../data/query.js";
import { Confirmation } from "../../form/confirmation.js";
import { saveFile } from "../csv.js";
import { presentTable } from "./camera-table.js";
import { useTexts } from "./texts.js";

/** Saves all cameras as a table, to whoever knows then that it has their passwords. */
export function CameraExport({ onClose }: { onClose: () => void }) {
  const texts = useTexts().cameraExport;
  return (
    <Query query={PresentCamerasDocument}>
      {(there) => (
        <Confirmation
          title={texts.title}
          label={texts.save(there.cameras.length)}
          onConfirm={async () => {
            saveFile("cameras.csv", "text/csv", presentTable(there));
            onClose();
          }}
          onClose={onClose}
        >
          <p>{texts.text}</p>
        </Confirmation>
      )}
    </Query>
  );
}
