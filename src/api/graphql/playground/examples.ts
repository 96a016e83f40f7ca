import type { OwnRecords } from "../../../console/api-calls/own-records.js";
import { randomUuid } from "../../../platform/ids/random-uuid.js";

export interface ExampleOperation {
  query: string;
  variables?: string;
}

const fleetOverview = `# Each camera with its rules and newest alerts.
query FleetOverview {
  facilities {
    name
    timeZoneId
    online
    cameras {
      name
      statusDetail
      imageLink
      alertRules {
        name
        severity
        pretty
      }
      alerts(first: 3) {
        nodes {
          name
          severity
          localCreatedAt
          thumbnailUrl
          annotatedUrl
        }
      }
    }
  }
}
`;

const newestAlerts = `# For the next page, pass endCursor as $after.
query NewestAlerts($filter: AlertFilter!, $after: String) {
  alerts(filter: $filter, first: 10, after: $after) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      id
      name
      count
      severity
      createdAt
      localCreatedAt
      url
    }
  }
}
`;

const countsPerDay = `# Alerts per day in all facilities.
query CountsPerDay($filter: AlertFilter!) {
  alertCounts(filter: $filter, aggregate: DAY) {
    key
    count
  }
}
`;

const liveStatus = `# Stays open and shows each camera whose status changes.
subscription LiveStatus {
  cameraStatusChanged {
    name
    statusDetail
    facility {
      name
    }
  }
}
`;

const raisedAlerts = `# Stays open and shows each alert as it is raised: run RecordAlerts in another tab.
subscription RaisedAlerts {
  alertRaised {
    name
    severity
    localCreatedAt
    url
    camera {
      name
    }
  }
}
`;

const uploadPicture = `# The cameraId has to be one of yours. Send the picture to the url: curl -T picture.jpg "<url>".
# Then give the uploadId to RecordAlerts.
mutation UploadPicture($cameraId: UUID!) {
  createAlertUpload(cameraId: $cameraId) {
    uploadId
    url
    expiresAt
  }
}
`;

const recordAlerts = `# The id is the detector's own: with the same id nothing is recorded twice.
mutation RecordAlerts($input: [RecordAlertInput!]!) {
  recordAlerts(input: $input) {
    recorded
    alreadyRecorded
  }
}
`;

const createFacility = `# The first step in an empty workspace. Cameras belong to a facility.
mutation CreateFacility($input: CreateFacilityInput!) {
  createFacility(input: $input) {
    id
    name
    timeZoneId
  }
}
`;

const createCamera = `# If the facilityId is all zeros, replace it by the id that CreateFacility returned.
mutation CreateCamera($facilityId: UUID!, $input: CreateCameraInput!) {
  createCamera(facilityId: $facilityId, input: $input) {
    camera {
      id
      name
      facility {
        name
      }
    }
  }
}
`;

const createUser = `# The authId is the "sub" of the user's tokens. To send a person an invitation instead: inviteUser.
mutation CreateUser($input: CreateUserInput!) {
  createUser(input: $input) {
    id
    email
    roles
  }
}
`;

const createApiKey = `# The key is shown this once. It can do no more than you can.
mutation CreateApiKey($input: CreateApiKeyInput!) {
  createApiKey(input: $input) {
    key
    apiKey {
      id
      name
      permissions
      expiresAt
    }
  }
}
`;

const changePicture = `# Choose a file for $image above the editors.
mutation ChangeMyPicture($image: Upload!) {
  updateMyPicture(image: $image) {
    fullName
    picture
  }
}
`;

const exportSpreadsheet = `# Open the url to download the file. Other formats: CSV, NDJSON.
query ExportSpreadsheet($filter: AlertFilter!) {
  exportAlerts(filter: $filter, format: XLSX) {
    url
    expiresAt
  }
}
`;

const thirtyDaysMs = 30 * 24 * 60 * 60 * 1000;

/** A placeholder for an id. Readers must enter one of theirs. */
const unknownId = "00000000-0000-0000-0000-000000000000";

/**
 * The initial tabs. Filters cover the 30 days before `now`. What the examples create has names of its own for each call
 * of this function, and belongs to the caller's `records`, which are undefined if unknown. In an empty workspace,
 * creating comes first.
 */
export function exampleOperations(now: Date, records: OwnRecords | undefined): ExampleOperation[] {
  const { facilityId = unknownId, cameraId = unknownId } = records ?? {};
  const isEmpty = records !== undefined && records.facilityId === undefined;
  const text = (variables: object) => JSON.stringify(variables, undefined, 2);
  const before = new Date(now.getTime() - thirtyDaysMs);
  const after = new Date(now.getTime() + thirtyDaysMs);
  const ofPeriod = text({ filter: { start: before, end: now } });
  const unique = randomUuid().slice(0, 8);
  const alert = { id: randomUuid(), cameraId, name: "STATIC_DELIMITATION_AREA", createdAt: now };
  const facility = { name: `Example facility ${unique}`, timeZoneId: "Europe/Berlin" };
  const camera = {
    name: `Example camera ${unique}`,
    url: `rtsp://camera-${unique}.example.com:554/stream1`,
    streamType: "DIRECT",
    streamProtocol: "RTSP",
  };
  const email = `user-${unique}@example.com`;
  const user = { email, authId: `email|${email}`, firstName: "Example", roles: ["cameras:read"] };
  const key = { name: `Example key ${unique}`, permissions: ["cameras:read"], expiresAt: after };
  const reading = [
    { query: fleetOverview },
    { query: newestAlerts, variables: ofPeriod },
    { query: countsPerDay, variables: ofPeriod },
    { query: liveStatus },
    { query: raisedAlerts },
    { query: uploadPicture, variables: text({ cameraId }) },
    { query: recordAlerts, variables: text({ input: [alert] }) },
    { query: exportSpreadsheet, variables: ofPeriod },
  ];
  const creating = [
    { query: createFacility, variables: text({ input: facility }) },
    { query: createCamera, variables: text({ facilityId, input: camera }) },
    { query: createUser, variables: text({ input: user }) },
    { query: createApiKey, variables: text({ input: key }) },
    { query: changePicture },
  ];
  return isEmpty ? [...creating, ...reading] : [...reading, ...creating];
}
