import { createServer } from "node:http";
import pg from "pg";
import { announce } from "./announce.js";
import { idKinds, idOf } from "./dataset-ids.js";

/**
 * The baseline for requests: returns the same data by hand-written SQL on the same
 * tables, without access checks. PostgreSQL builds the JSON, which is passed through as
 * text. Arguments: <database> <pool size>.
 */
const pool = new pg.Pool({
  connectionString: process.argv[2],
  max: Number(process.argv[3]),
  application_name: "bench-baseline",
  options: "-c timezone=UTC",
});
// Pass JSON through without parsing it.
pg.types.setTypeParser(pg.types.builtins.JSON, (text) => text);

/** The one workspace of the data set. */
const workspace = `'${idOf(idKinds.workspace, 1)}'::uuid`;

const cameras = (facility: string) => `
  (SELECT coalesce(json_agg(json_build_object('id', camera."id", 'name', camera."name", 'status', camera."status",
     'alertRules', (SELECT coalesce(json_agg(json_build_object('id', rule."id", 'name', rule."name", 'severity', rule."severity", 'status', rule."status")
         ORDER BY rule."name", rule."id"), '[]') FROM "AlertRule" rule WHERE rule."workspaceId" = ${workspace} AND rule."cameraId" = camera."id"),
     'alerts', json_build_object('nodes', (SELECT coalesce(json_agg(json_build_object('id', alert."id", 'name', alert."name",
         'severity', alert."severity", 'count', alert."count", 'createdAt', alert."createdAt")), '[]')
       FROM (SELECT * FROM "Alert" WHERE "workspaceId" = ${workspace} AND "cameraId" = camera."id" ORDER BY "createdAt" DESC, "id" DESC LIMIT 5) alert))
   ) ORDER BY camera."name", camera."id"), '[]') FROM "Camera" camera WHERE camera."workspaceId" = ${workspace} AND camera."facilityId" = ${facility})`;

const facility = `json_build_object('id', facility."id", 'name', facility."name", 'cameras', ${cameras('facility."id"')})`;

const alertPage = `
  SELECT coalesce(json_agg(json_build_object('id', alert."id", 'cameraId', alert."cameraId", 'name', alert."name", 'count', alert."count",
    'createdAt', alert."createdAt", 'url', alert."url", 'imageDimensions', alert."imageDimensions", 'canvasDimensions', alert."canvasDimensions",
    'violatingCoordinates', alert."violatingCoordinates", 'area', alert."area", 'storageClass', alert."storageClass", 'info', alert."info",
    'bookmark', alert."bookmark", 'alertRuleId', alert."alertRuleId", 'localCreatedAt', alert."createdAt" AT TIME ZONE facility."timeZoneId",
    'falsePositive', alert."falsePositive")), '[]')
  FROM (SELECT * FROM "Alert" WHERE "workspaceId" = $1 AND "createdAt" >= $2 AND "createdAt" < $3 ORDER BY "createdAt" DESC, "id" DESC LIMIT 20) alert
  JOIN "Facility" facility ON facility."workspaceId" = $1 AND facility."id" = alert."facilityId"`;

const inPeriod = `"workspaceId" = $1 AND "createdAt" >= $2 AND "createdAt" < $3`;

const statements: Record<string, string> = {
  facility: `SELECT json_build_object('facility', ${facility}) FROM "Facility" facility WHERE facility."workspaceId" = ${workspace} AND facility."id" = $1`,
  facilities: `SELECT json_build_object('facilities', json_agg(${facility} ORDER BY facility."name", facility."id")) FROM "Facility" facility WHERE facility."workspaceId" = $1`,
  "alerts-with-total": `SELECT json_build_object('total', (SELECT count(*) FROM "Alert" WHERE ${inPeriod}), 'alerts', (${alertPage}))`,
  alerts: `SELECT json_build_object('alerts', (${alertPage}))`,
  total: `SELECT json_build_object('total', (SELECT count(*) FROM "Alert" WHERE ${inPeriod}))`,
  camera: `SELECT json_build_object('id', "id", 'name', "name", 'status', "status", 'statusDetail', "statusDetail", 'imageLink', "imageLink",
      'dataCollectionEnabled', "dataCollectionEnabled", 'dataCollectionObjects', "dataCollectionObjects", 'dataCollectionConfig', "dataCollectionConfig",
      'customDataCollectionConfigs', "customDataCollectionConfigs", 'facilityId', "facilityId", 'imageDimensions', "imageDimensions",
      'streamType', "streamType", 'advancedSettings', "advancedSettings", 'facilityNodeId', "facilityNodeId")
    FROM "Camera" WHERE "workspaceId" = ${workspace} AND "id" = $1`,
  "weekly-statistics": `SELECT coalesce(json_agg(json_build_object('count', "count", 'period', "period", 'type', "type", 'facility',
      json_build_object('id', "id", 'name', "name")) ORDER BY "period", "count" DESC, "name", "id", "type"), '[]') FROM (
      SELECT facility."id", facility."name", alert."name" AS "type", to_char(alert."createdAt" AT TIME ZONE facility."timeZoneId", 'IYYY-"W"IW') AS "period",
        count(*) AS "count"
      FROM "Alert" alert JOIN "Facility" facility ON facility."workspaceId" = alert."workspaceId" AND facility."id" = alert."facilityId"
      WHERE alert."workspaceId" = $1 AND alert."createdAt" >= $2 AND alert."createdAt" < $3 GROUP BY 1, 2, 3, 4) groups`,
  "exported-alerts": `SELECT coalesce(json_agg(json_build_array(alert."createdAt" AT TIME ZONE facility."timeZoneId", alert."createdAt", facility."name", camera."name",
      alert."name", alert."severity", alert."count", alert."bookmark", alert."falsePositive", alert."observation", rule."name", alert."url", alert."id",
      facility."timeZoneId", rule."pretty") ORDER BY alert."createdAt" DESC, alert."id" DESC), '[]')
    FROM "Alert" alert JOIN "Facility" facility ON facility."workspaceId" = alert."workspaceId" AND facility."id" = alert."facilityId"
      JOIN "Camera" camera ON camera."workspaceId" = alert."workspaceId" AND camera."id" = alert."cameraId"
      JOIN "AlertRule" rule ON rule."workspaceId" = alert."workspaceId" AND rule."id" = alert."alertRuleId"
    WHERE alert."workspaceId" = $1 AND alert."createdAt" >= $2 AND alert."createdAt" < $3`,
  counts: `SELECT coalesce(json_agg(json_build_object('key', "key", 'count', "count") ORDER BY "key"), '[]') FROM (
      SELECT to_char(alert."createdAt" AT TIME ZONE facility."timeZoneId", 'YYYY-MM-DD') AS "key", count(*) AS "count"
      FROM "Alert" alert JOIN "Facility" facility ON facility."workspaceId" = alert."workspaceId" AND facility."id" = alert."facilityId"
      WHERE alert."workspaceId" = ${workspace} AND alert."cameraId" = $1 AND alert."createdAt" >= $2 AND alert."createdAt" < $3 GROUP BY 1) days`,
};

const server = createServer(async (request, response) => {
  const [, name = "", ...values] = (request.url ?? "").split("/");
  const { rows } = await pool.query({ name, text: statements[name] as string, values, rowMode: "array" });
  response.setHeader("content-type", "application/json");
  response.end(rows[0]?.[0]);
});
announce(server);
