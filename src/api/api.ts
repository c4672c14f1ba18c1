// All routes of the API. The router registers them in src/http; the document adds the descriptions of their shapes from api.doc.ts.

import { a2a } from "./a2a.ts"
import { architect } from "./architect.ts"
import { bulk } from "./run/bulk.ts"
import { starts } from "./run/starts.ts"
import { callbacks } from "./callbacks.ts"
import { catalog } from "./catalog.ts"
import { effects } from "./run/effects.ts"
import { protocols } from "./protocols.ts"
import { datasets } from "./quality/datasets.ts"
import { experiments } from "./quality/experiments.ts"
import { drafts } from "./drafts.ts"
import { feed } from "./run/feed.ts"
import { filesDiff } from "./files-diff.ts"
import { prompts } from "./prompts.ts"
import { forks } from "./run/forks.ts"
import { hooks } from "./hooks.ts"
import { insight } from "./insight.ts"
import { instance } from "./instance.ts"
import { interactions } from "./run/interactions.ts"
import { mcpServers } from "./mcp-servers.ts"
import { references } from "./references.ts"
import { scorers } from "./quality/scorers.ts"
import { judges } from "./quality/judges.ts"
import { scores } from "./quality/scores.ts"
import type { Routes } from "./route/route.ts"
import { runs } from "./run/runs.ts"
import { schedules } from "./schedules.ts"
import { settings } from "./settings.ts"
import { signIn } from "./sign-in.ts"
import { tenants } from "./tenants.ts"
import { tests } from "./tests.ts"
import { tools } from "./tools.ts"
import { trust } from "./trust.ts"
import { ui } from "./ui.ts"

export const API = {
  ...runs,
  ...feed,
  ...filesDiff,
  ...prompts,
  ...trust,
  ...forks,
  ...bulk,
  ...starts,
  ...interactions,
  ...effects,
  ...insight,
  ...catalog,
  ...drafts,
  ...scorers,
  ...scores,
  ...judges,
  ...tests,
  ...datasets,
  ...experiments,
  ...architect,
  ...tools,
  ...mcpServers,
  ...references,
  ...hooks,
  ...callbacks,
  ...schedules,
  ...settings,
  ...signIn,
  ...tenants,
  ...instance,
  ...protocols,
  ...a2a,
  ...ui,
} satisfies Routes
