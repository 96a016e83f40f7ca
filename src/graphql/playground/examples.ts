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

const thirtyDaysMs = 30 * 24 * 60 * 60 * 1000;

/** The initial tabs; filters cover the 30 days before `now`. */
export function exampleOperations(now: Date): ExampleOperation[] {
  const start = new Date(now.getTime() - thirtyDaysMs);
  const variables = JSON.stringify({ filter: { start, end: now } }, undefined, 2);
  return [{ query: fleetOverview }, { query: newestAlerts, variables }, { query: countsPerDay, variables }, { query: liveStatus }];
}
