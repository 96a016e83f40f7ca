import { CopyableText } from "../shell/copyable-text.js";
import { Dialog } from "../shell/dialog.js";
import { type ConfigurableKind, commands } from "./connector-configuration.js";
import { useTexts } from "./texts.js";

/** A configuration that was saved as a file. */
export interface WrittenConfiguration {
  kind: ConfigurableKind;
  file: string;
}

/** What to do with the file of a configuration. */
export function WrittenFile({ kind, file, onClose }: WrittenConfiguration & { onClose: () => void }) {
  const { form } = useTexts();
  const command = `${commands[kind]} ${file}`;
  return (
    <Dialog title={form.written} onClose={onClose}>
      <div className="edit-form">
        <p>{form.next}</p>
        <CopyableText label={form.check} text={`${command} --check`} />
        <CopyableText label={form.start} text={command} />
      </div>
    </Dialog>
  );
}
