// Scores a run [V3–V8] by what a scorer needs: an expectation and the built-in ones by the account alone, code in its isolate. A judge is
// somebody else's to ask: the answer is then what to ask.

import type { AccountParts } from "../../core/score/account.ts"
import { codeAnswer } from "../../core/score/code-answer.ts"
import { callsAsEvidence, judgeRequest } from "../../core/score/judge-request.ts"
import { probedAccount } from "../../core/score/probe.ts"
import { scoreRun, type ScoredRun } from "../../core/score/score-run.ts"
import type { Verdict } from "../../core/run/said/score.ts"
import { filesOf } from "../../core/case/tested-run.ts"
import { isObject, type Json, type JsonObject } from "../../core/json.ts"
import { messageOf } from "../../core/text/fault-text.ts"
import { defined } from "../../core/defined.ts"
import type { Sandbox } from "../../ports/sandbox.ts"
import type { ScoreAsk } from "../../ports/tenant/quality/scoring.ts"
import { signalAfter } from "../../ports/timers.ts"
import { sha256 } from "../sha256.ts"

export { accountOf } from "../../core/score/account.ts"

/** [V5] How long a handler may take. */
export const HANDLER_MS = 10_000 // limit: milliseconds of a scorer's handler → the score is an error

/** What the scorer asks for of the workspace, and what a row brings. */
export type AccountAsk = Pick<AccountParts, "files" | "expected" | "criteria">

export interface ScoreDeps {
  readonly flow: string
  readonly task: string
  scored(asked: AccountAsk): ScoredRun
  /** A text of the workspace; null: there is none. */
  file(path: string): Promise<string | null>
  readonly sandbox: Sandbox
  turn(): Promise<void>
  fresh(): string
}

export async function scoreAsked(
  { flow, task, scored, file, sandbox, turn, fresh }: ScoreDeps,
  { scorer, code, expected, criteria, probe = "plain" }: Pick<ScoreAsk, "scorer" | "code" | "expected" | "criteria" | "probe">,
): Promise<{ readonly verdict: Verdict } | { readonly task: string }> {
  const named = [...scorer.files, ...(scorer.expect ? filesOf(scorer.expect) : []), ...(isObject(expected) ? filesOf(expected) : [])]
  const files: Record<string, string | null> = {}
  for (const path of new Set(named)) files[path] = await file(path)
  const run = scored({ files, ...defined({ expected, criteria }) })
  const { account } = run
  const verdict = scoreRun(run, scorer)
  if (verdict) return { verdict }
  if (scorer.judge) {
    const seen = probedAccount(account, scorer.judge.levels, probe)
    return { task: judgeRequest(seen, scorer.judge, fresh, probe === "plain" ? callsAsEvidence(run.events) : []) }
  }
  if (code === undefined) return { verdict: { score: null, error: `the scorer has no handler: write scorers/${scorer.name}.ts` } }
  try {
    const said = await sandbox.run({
      hash: await sha256(code),
      source: code,
      input: JSON.parse(JSON.stringify(account)) as JsonObject,
      ctx: { flow, step: scorer.name, task },
      timeoutMs: HANDLER_MS,
      signal: signalAfter(2 * HANDLER_MS),
      turn,
      anyValue: true,
    })
    if (said.ok === null) return { verdict: { score: null, error: "the handler called a tool, and a scorer has none" } }
    return { verdict: said.ok ? codeAnswer(said.value["value"] as Json | undefined) : { score: null, error: said.message } }
  } catch (e) {
    return { verdict: { score: null, error: `the sandbox failed: ${messageOf(e, "unknown error")}` } }
  }
}
