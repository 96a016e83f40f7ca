import { useMutation } from "urql";
import {
  type CameraRuleFragment,
  type RulesCameraFragment,
  TestRuleDocument,
} from "../../../generated/console.js";
import { ActionButton } from "../../form/edit-form.js";
import { CopyableText } from "../../shell/copyable-text.js";
import { Dialog } from "../../shell/dialog.js";
import { RouteState } from "../rule-routes.js";
import { useTexts } from "../texts.js";

interface WebhookSecretProps {
  secret: string;
  rule: CameraRuleFragment;
  camera: RulesCameraFragment;
  channels: readonly string[];
  onClose: () => void;
}

const verification = `import { Webhook } from "standardwebhooks";
const webhook = new Webhook(process.env.WEBHOOK_SECRET);
webhook.verify(body, request.headers); // throws unless the signature is right`;

/** The new secret of a rule's webhook, which nobody can read again, and how to try it. */
export function WebhookSecret({ secret, rule, camera, channels, onClose }: WebhookSecretProps) {
  const { webhookTexts } = useTexts();
  const [, sendTest] = useMutation(TestRuleDocument);
  const isTested = rule.deliveries.nodes.some(
    ({ channel, kind }) => channel === "WEBHOOK" && kind === "TEST",
  );
  return (
    <Dialog title={webhookTexts.title} onClose={onClose}>
      <div className="edit-form">
        <p>{webhookTexts.once}</p>
        <CopyableText label={webhookTexts.secret} text={secret} />
        <p>
          {webhookTexts.verifyText}{" "}
          <a href="https://www.standardwebhooks.com" target="_blank" rel="noreferrer">
            standardwebhooks.com
          </a>
        </p>
        <CopyableText label={webhookTexts.verify} text={verification} />
        <p className="hint">{webhookTexts.testText}</p>
        {isTested && <RouteState rule={rule} channel="WEBHOOK" camera={camera} setUp={channels} />}
        <div className="form-actions">
          <ActionButton run={() => sendTest({ id: rule.id })}>{webhookTexts.test}</ActionButton>
          <button type="button" className="primary" onClick={onClose}>
            {webhookTexts.close}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
