// Caches the origins that a tenant lists, and those that any tenant lists [H7]: a browser sends a preflight before many requests.

import { MOMENT_MS, RecentAnswers } from "../../platform/recent-answers.ts"
import { perIsolate } from "../../../ports/isolate.ts"

const origins = perIsolate(() => new RecentAnswers<readonly string[]>(MOMENT_MS, 2_000))

export const forgetOrigins = (): void => origins().forget(() => true)

export const cachedOrigins = (what: string, ask: () => Promise<readonly string[]>, now: () => number): Promise<readonly string[]> =>
  origins().get(what, { now, ask })
