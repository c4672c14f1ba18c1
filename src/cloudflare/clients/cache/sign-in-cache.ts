// Sessions [H13], cached in the isolate as long as a key is, and dropped with it: a session follows its key within the same 5 s [S18].

import type { Signed } from "../../../ports/tenant/sign-ins.ts"
import { MOMENT_MS, RecentAnswers } from "../recent-answers.ts"

const MAX_SESSIONS = 5_000

/** By `TENANT/DIGEST`. What is over is never cached. */
const sessions = new RecentAnswers<Signed | undefined>(MOMENT_MS, MAX_SESSIONS)

/** `keyId` absent: all sessions of the tenant. */
export const forgetSessions = (tenant: string, keyId?: string): void =>
  sessions.forget((name, signed) => name.startsWith(`${tenant}/`) && (keyId === undefined || signed?.row.key === keyId))

export const forgetSession = (tenant: string, digest: string): void => sessions.forget((name) => name === `${tenant}/${digest}`)

export const cachedSession = (
  tenant: string,
  digest: string,
  ask: () => Promise<Signed | undefined>,
  now: () => number,
): Promise<Signed | undefined> =>
  sessions.get(`${tenant}/${digest}`, {
    now,
    ask,
    isGood: (signed, at) => signed !== undefined && at < signed.row.until,
    keeps: (signed) => signed !== undefined,
  })
