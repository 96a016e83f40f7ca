-- The zone by which a facility's local times and days are told: its own or, where the server does not know that, an alias, else UTC. Whoever
-- writes a facility need not know of it. Zones that became known or unknown with another version of the server are looked up again by
-- `npm run migrate` and when a gateway starts, which must not be done where alerts are read or written.

-- AlterTable: what is not known is found by `npm run migrate` afterwards.
ALTER TABLE "Facility" ADD COLUMN "effectiveTimeZoneId" TEXT NOT NULL DEFAULT 'UTC';
UPDATE "Facility" SET "effectiveTimeZoneId" = "timeZoneId";

-- A time zone as this server spells it; null if it is none of which PostgreSQL, Node.js and browsers think the same. PostgreSQL takes any text
-- that ends in a number for a zone, such as Mars/Olympus5 and, with the opposite sign, +03:00, and CET for an abbreviation, which is never
-- summer time. "pg_timezone_names" reads the files of all zones, which may take a third of a second.
CREATE FUNCTION "timeZoneName"(zone TEXT) RETURNS TEXT LANGUAGE plpgsql STRICT SET "TimeZone" = 'UTC' AS $$
DECLARE
  name TEXT;
BEGIN
  name := set_config('TimeZone', zone, true);
  IF name ~ '^(posix/|right/|posixrules$|localtime$|Factory$)' OR (name ~ '[0-9]' AND name !~ '[a-z]' AND name !~ '^(EST5EDT|CST6CDT|MST7MDT|PST8PDT)$') THEN
    RETURN NULL;
  END IF;
  IF name !~ '/' AND name NOT IN ('UTC', 'GMT') AND EXISTS (SELECT FROM pg_timezone_abbrevs WHERE abbrev = upper(name)) THEN
    RETURN NULL;
  END IF;
  RETURN name;
EXCEPTION
  WHEN invalid_parameter_value THEN RETURN NULL;
END
$$;

-- The names by which this server knows a time zone, the best first; none if it does not know it. Those that are one zone are from the links of
-- the IANA database, version 2026f, in the form of the package moment-timezone; the first of them is the present name.
CREATE FUNCTION "knownTimeZones"(zone TEXT) RETURNS TEXT[] LANGUAGE plpgsql AS $$
DECLARE
  links CONSTANT TEXT[] := ARRAY[
    'Africa/Abidjan Africa/Accra Africa/Bamako Africa/Banjul Africa/Conakry Africa/Dakar Africa/Freetown Africa/Lome Africa/Nouakchott Africa/Ouagadougou Africa/Timbuktu Atlantic/Reykjavik Atlantic/St_Helena Iceland',
    'Africa/Cairo Egypt',
    'Africa/Johannesburg Africa/Maseru Africa/Mbabane',
    'Africa/Lagos Africa/Bangui Africa/Brazzaville Africa/Douala Africa/Kinshasa Africa/Libreville Africa/Luanda Africa/Malabo Africa/Niamey Africa/Porto-Novo',
    'Africa/Maputo Africa/Blantyre Africa/Bujumbura Africa/Gaborone Africa/Harare Africa/Kigali Africa/Lubumbashi Africa/Lusaka',
    'Africa/Nairobi Africa/Addis_Ababa Africa/Asmara Africa/Asmera Africa/Dar_es_Salaam Africa/Djibouti Africa/Kampala Africa/Mogadishu Indian/Antananarivo Indian/Comoro Indian/Mayotte',
    'Africa/Tripoli Libya',
    'America/Adak America/Atka US/Aleutian',
    'America/Anchorage US/Alaska',
    'America/Argentina/Buenos_Aires America/Buenos_Aires',
    'America/Argentina/Catamarca America/Argentina/ComodRivadavia America/Catamarca',
    'America/Argentina/Cordoba America/Cordoba America/Rosario',
    'America/Argentina/Jujuy America/Jujuy',
    'America/Argentina/Mendoza America/Mendoza',
    'America/Chicago US/Central',
    'America/Denver America/Shiprock Navajo US/Mountain',
    'America/Detroit US/Michigan',
    'America/Edmonton America/Yellowknife Canada/Mountain',
    'America/Fort_Wayne America/Indiana/Indianapolis America/Indianapolis US/East-Indiana',
    'America/Godthab America/Nuuk',
    'America/Halifax Canada/Atlantic',
    'America/Havana Cuba',
    'America/Indiana/Knox America/Knox_IN US/Indiana-Starke',
    'America/Iqaluit America/Pangnirtung',
    'America/Jamaica Jamaica',
    'America/Kentucky/Louisville America/Louisville',
    'America/Los_Angeles US/Pacific',
    'America/Manaus Brazil/West',
    'America/Mazatlan Mexico/BajaSur',
    'America/Mexico_City Mexico/General',
    'America/New_York US/Eastern',
    'America/Noronha Brazil/DeNoronha',
    'America/Panama America/Atikokan America/Cayman America/Coral_Harbour EST',
    'America/Phoenix America/Creston MST US/Arizona',
    'America/Puerto_Rico America/Anguilla America/Antigua America/Aruba America/Blanc-Sablon America/Curacao America/Dominica America/Grenada America/Guadeloupe America/Kralendijk America/Lower_Princes America/Marigot America/Montserrat America/Port_of_Spain America/St_Barthelemy America/St_Kitts America/St_Lucia America/St_Thomas America/St_Vincent America/Tortola America/Virgin',
    'America/Regina Canada/Saskatchewan',
    'America/Rio_Branco America/Porto_Acre Brazil/Acre',
    'America/Santiago Chile/Continental',
    'America/Sao_Paulo Brazil/East',
    'America/St_Johns Canada/Newfoundland',
    'America/Tijuana America/Ensenada America/Santa_Isabel Mexico/BajaNorte',
    'America/Toronto America/Montreal America/Nassau America/Nipigon America/Thunder_Bay Canada/Eastern',
    'America/Vancouver Canada/Pacific',
    'America/Whitehorse Canada/Yukon',
    'America/Winnipeg America/Rainy_River Canada/Central',
    'Asia/Ashgabat Asia/Ashkhabad',
    'Asia/Bangkok Asia/Phnom_Penh Asia/Vientiane Indian/Christmas',
    'Asia/Brunei Asia/Kuching',
    'Asia/Dhaka Asia/Dacca',
    'Asia/Dubai Asia/Muscat Indian/Mahe Indian/Reunion',
    'Asia/Ho_Chi_Minh Asia/Saigon',
    'Asia/Hong_Kong Hongkong',
    'Asia/Jerusalem Asia/Tel_Aviv Israel',
    'Asia/Kathmandu Asia/Katmandu',
    'Asia/Kolkata Asia/Calcutta',
    'Asia/Kuala_Lumpur Asia/Singapore Singapore',
    'Asia/Macau Asia/Macao',
    'Asia/Makassar Asia/Ujung_Pandang',
    'Asia/Nicosia Europe/Nicosia',
    'Asia/Qatar Asia/Bahrain',
    'Asia/Rangoon Asia/Yangon Indian/Cocos',
    'Asia/Riyadh Antarctica/Syowa Asia/Aden Asia/Kuwait',
    'Asia/Seoul ROK',
    'Asia/Shanghai Asia/Chongqing Asia/Chungking Asia/Harbin PRC',
    'Asia/Taipei ROC',
    'Asia/Tehran Iran',
    'Asia/Thimphu Asia/Thimbu',
    'Asia/Tokyo Japan',
    'Asia/Ulaanbaatar Asia/Choibalsan Asia/Ulan_Bator',
    'Asia/Urumqi Asia/Kashgar',
    'Atlantic/Faroe Atlantic/Faeroe',
    'Australia/Adelaide Australia/South',
    'Australia/Brisbane Australia/Queensland',
    'Australia/Broken_Hill Australia/Yancowinna',
    'Australia/Darwin Australia/North',
    'Australia/Hobart Australia/Currie Australia/Tasmania',
    'Australia/Lord_Howe Australia/LHI',
    'Australia/Melbourne Australia/Victoria',
    'Australia/Perth Australia/West',
    'Australia/Sydney Australia/ACT Australia/Canberra Australia/NSW',
    'Etc/GMT-0 Etc/GMT Etc/GMT+0 Etc/GMT0 Etc/Greenwich GMT GMT+0 GMT-0 GMT0 Greenwich',
    'Etc/UTC Etc/UCT Etc/Universal Etc/Zulu UCT UTC Universal Zulu',
    'Europe/Athens EET',
    'Europe/Belgrade Europe/Ljubljana Europe/Podgorica Europe/Sarajevo Europe/Skopje Europe/Zagreb',
    'Europe/Berlin Arctic/Longyearbyen Atlantic/Jan_Mayen Europe/Copenhagen Europe/Oslo Europe/Stockholm',
    'Europe/Brussels CET Europe/Amsterdam Europe/Luxembourg MET',
    'Europe/Chisinau Europe/Tiraspol',
    'Europe/Dublin Eire',
    'Europe/Helsinki Europe/Mariehamn',
    'Europe/Istanbul Asia/Istanbul Turkey',
    'Europe/Kiev Europe/Kyiv Europe/Uzhgorod Europe/Zaporozhye',
    'Europe/Lisbon Portugal WET',
    'Europe/London Europe/Belfast Europe/Guernsey Europe/Isle_of_Man Europe/Jersey GB GB-Eire',
    'Europe/Moscow W-SU',
    'Europe/Paris Europe/Monaco',
    'Europe/Prague Europe/Bratislava',
    'Europe/Rome Europe/San_Marino Europe/Vatican',
    'Europe/Warsaw Poland',
    'Europe/Zurich Europe/Busingen Europe/Vaduz',
    'Indian/Maldives Indian/Kerguelen',
    'Pacific/Auckland Antarctica/McMurdo Antarctica/South_Pole NZ',
    'Pacific/Chatham NZ-CHAT',
    'Pacific/Easter Chile/EasterIsland',
    'Pacific/Enderbury Pacific/Kanton',
    'Pacific/Guadalcanal Pacific/Pohnpei Pacific/Ponape',
    'Pacific/Guam Pacific/Saipan',
    'Pacific/Honolulu HST Pacific/Johnston US/Hawaii',
    'Pacific/Kwajalein Kwajalein',
    'Pacific/Pago_Pago Pacific/Midway Pacific/Samoa US/Samoa',
    'Pacific/Port_Moresby Antarctica/DumontDUrville Pacific/Chuuk Pacific/Truk Pacific/Yap',
    'Pacific/Tarawa Pacific/Funafuti Pacific/Majuro Pacific/Wake Pacific/Wallis'
  ];
BEGIN
  RETURN ARRAY(
    SELECT known.name FROM (
      SELECT 0 AS place, "timeZoneName"(zone) AS name
      UNION ALL SELECT alias.place, "timeZoneName"(alias.name)
      FROM unnest(links) AS link(names) CROSS JOIN LATERAL unnest(string_to_array(link.names, ' ')) WITH ORDINALITY AS alias(name, place)
      WHERE lower(zone) = ANY(string_to_array(lower(link.names), ' ')) AND (alias.name ~ '/' OR alias.name IN ('UTC', 'GMT'))
    ) AS known
    WHERE known.name IS NOT NULL ORDER BY known.place);
END
$$;

CREATE FUNCTION "setEffectiveTimeZone"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."effectiveTimeZoneId" := coalesce("timeZoneName"(NEW."timeZoneId"), ("knownTimeZones"(NEW."timeZoneId"))[1], 'UTC');
  RETURN NEW;
END
$$;

CREATE TRIGGER "Facility_timeZone" BEFORE INSERT OR UPDATE OF "timeZoneId" ON "Facility"
  FOR EACH ROW EXECUTE FUNCTION "setEffectiveTimeZone"();

-- Days are those of that zone.

CREATE OR REPLACE FUNCTION "countedAlerts"("ofWorkspace" UUID, "ofFacility" UUID, "ofCamera" UUID) RETURNS SETOF "AlertDayKindCount" LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT alert."cameraId", (alert."createdAt" AT TIME ZONE facility."effectiveTimeZoneId")::date, alert."name" COLLATE "C", alert."severity" COLLATE "C",
    alert."facilityId", alert."workspaceId", count(*)::int
  FROM "Alert" AS alert JOIN "Facility" AS facility ON facility."workspaceId" = alert."workspaceId" AND facility."id" = alert."facilityId"
  WHERE ("ofWorkspace" IS NULL OR alert."workspaceId" = "ofWorkspace")
    AND ("ofFacility" IS NULL OR alert."facilityId" = "ofFacility") AND ("ofCamera" IS NULL OR alert."cameraId" = "ofCamera")
    AND NOT EXISTS (
      SELECT FROM "Camera" AS camera
      WHERE camera."workspaceId" = alert."workspaceId" AND camera."id" = alert."cameraId" AND camera."removedAt" IS NOT NULL)
  GROUP BY 1, 2, 3, 4, 5, 6;
END
$$;

CREATE OR REPLACE FUNCTION "changeAlertCounts"("ofWorkspace" UUID, changes "AlertCountChange"[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  kinds "AlertDayKindCount"[];
BEGIN
  -- Nobody removes these cameras, or changes the time zone of their facility, before this transaction has ended.
  PERFORM FROM "Camera" AS camera
  WHERE camera."workspaceId" = "ofWorkspace" AND camera."id" = ANY(ARRAY(SELECT DISTINCT changed."cameraId" FROM unnest(changes) AS changed))
  ORDER BY camera."id" FOR KEY SHARE;
  kinds := ARRAY(
    SELECT ROW(changed."cameraId", (changed."createdAt" AT TIME ZONE facility."effectiveTimeZoneId")::date, changed."name" COLLATE "C",
      changed."severity" COLLATE "C", changed."facilityId", "ofWorkspace", sum(changed."change"))::"AlertDayKindCount"
    FROM unnest(changes) AS changed
    JOIN "Facility" AS facility ON facility."workspaceId" = "ofWorkspace" AND facility."id" = changed."facilityId"
    WHERE NOT EXISTS (
      SELECT FROM "Camera" AS camera
      WHERE camera."workspaceId" = "ofWorkspace" AND camera."id" = changed."cameraId" AND camera."removedAt" IS NOT NULL)
    GROUP BY changed."cameraId", (changed."createdAt" AT TIME ZONE facility."effectiveTimeZoneId")::date, changed."name" COLLATE "C",
      changed."severity" COLLATE "C", changed."facilityId"
    HAVING sum(changed."change") <> 0
  );
  -- All writers lock the rows in the same order, table by table, which prevents deadlocks.
  INSERT INTO "AlertDayCount" AS kept ("cameraId", "day", "facilityId", "workspaceId", "count")
  SELECT kind."cameraId", kind."day", kind."facilityId", "ofWorkspace", sum(kind."count") FROM unnest(kinds) AS kind
  GROUP BY 1, 2, 3 HAVING sum(kind."count") <> 0 ORDER BY 1, 2, 3
  ON CONFLICT ("workspaceId", "cameraId", "day", "facilityId") DO UPDATE SET "count" = kept."count" + EXCLUDED."count";
  INSERT INTO "AlertDayKindCount" AS kept
  SELECT kind.* FROM unnest(kinds) AS kind ORDER BY kind."cameraId", kind."day", kind."name", kind."severity", kind."facilityId"
  ON CONFLICT ("workspaceId", "cameraId", "day", "name", "severity", "facilityId") DO UPDATE SET "count" = kept."count" + EXCLUDED."count";
  -- A row of 0 was just written by this transaction, which has it locked.
  DELETE FROM "AlertDayCount" AS kept USING unnest(kinds) AS kind
  WHERE kept."workspaceId" = "ofWorkspace" AND kind."count" < 0 AND kept."count" = 0
    AND (kept."cameraId", kept."day", kept."facilityId") = (kind."cameraId", kind."day", kind."facilityId");
  DELETE FROM "AlertDayKindCount" AS kept USING unnest(kinds) AS kind
  WHERE kept."workspaceId" = "ofWorkspace" AND kind."count" < 0 AND kept."count" = 0
    AND (kept."cameraId", kept."day", kept."name", kept."facilityId") = (kind."cameraId", kind."day", kind."name", kind."facilityId")
    AND kept."severity" IS NOT DISTINCT FROM kind."severity";
END
$$;
