import { Arg, Ctx, Query, Resolver } from "type-graphql";
import { z } from "zod";
import type { RequestContext } from "../access/request-context.js";
import { ArgumentRules } from "../platform/argument-rules.js";
import { AlertFilter, alertFilter } from "./alert.input.js";
import { exportAlerts } from "./alert-export.service.js";
import { AlertExport } from "./alert-export.type.js";

@Resolver()
export class AlertExportResolver {
  @ArgumentRules(z.object({ filter: alertFilter }))
  @Query(() => AlertExport, {
    description:
      "A link to the alerts of all facilities where the caller holds alerts:read, newest first, as xlsx. FORBIDDEN to who holds it nowhere.",
  })
  exportAlerts(@Ctx() context: RequestContext, @Arg("filter", () => AlertFilter) filter: AlertFilter): Promise<AlertExport> {
    return exportAlerts(context, filter);
  }
}
