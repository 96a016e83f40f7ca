import { CameraNowDocument } from "../../generated/console.js";
import { Query } from "../data/query.js";
import { LatestPicture } from "./latest-picture.js";

/** What a camera shows now: its live view or, without one, its latest picture. */
export const CameraNow = ({ id }: { id: string }) => (
  <Query query={CameraNowDocument} variables={{ id }}>
    {({ camera }) => camera && <LatestPicture camera={camera} startsLive={camera.liveUrl !== null} />}
  </Query>
);
