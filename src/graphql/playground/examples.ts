/** One tab of the playground. */
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

const uploadPicture = `# Send the picture to the url: curl -T picture.jpg "<url>".
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

const exportSpreadsheet = `# Open the url to download the file. Other formats: CSV, NDJSON.
query ExportSpreadsheet($filter: AlertFilter!) {
  exportAlerts(filter: $filter, format: XLSX) {
    url
    expiresAt
  }
}
`;

const thirtyDaysMs = 30 * 24 * 60 * 60 * 1000;

/**
 * The initial tabs. Filters cover the 30 days before `now`, and the example alerts belong
 * to the given camera.
 */
export function exampleOperations(now: Date, cameraId: string): ExampleOperation[] {
  const text = (variables: object) => JSON.stringify(variables, undefined, 2);
  const ofPeriod = text({ filter: { start: new Date(now.getTime() - thirtyDaysMs), end: now } });
  const alert = { id: crypto.randomUUID(), cameraId, name: "STATIC_DELIMITATION_AREA", createdAt: now };
  return [
    { query: fleetOverview },
    { query: newestAlerts, variables: ofPeriod },
    { query: countsPerDay, variables: ofPeriod },
    { query: liveStatus },
    { query: raisedAlerts },
    { query: uploadPicture, variables: text({ cameraId }) },
    { query: recordAlerts, variables: text({ input: [alert] }) },
    { query: exportSpreadsheet, variables: ofPeriod },
  ];
}
