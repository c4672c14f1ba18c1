// Sticky sessions [J25]: an agent's conversation that goes on in a later run. What it is called, when a step wants it, and what is
// left to be saved when the step is through with it.
//
// Only one step at a time has a session: the tenant's object gives it out. Here is no store, only what the history says.

import { type Result, err, ok } from "../../result.ts"
import { onlyReference } from "../../flow/template.ts"
import type { Run, Session, StepState } from "../state.ts"
import { sessionKey } from "../key.ts"

export const SESSION_ID = "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$"

const pattern = new RegExp(SESSION_ID)
export const isSessionId = (text: string): boolean => pattern.test(text)

/** Who has a session: one pass of one step. Asked again, it is given the same. */
export const holderOf = (run: string, step: string, pass: number): string => `${run}/${step}/${pass}`

export interface SessionWish {
  readonly do: "open-session"
  readonly key: string
  readonly step: string
  readonly agent: string
  readonly session: string
}

export interface Prompt {
  readonly definition: string
  readonly inputs: Readonly<Record<string, string>>
  readonly body: string
}

/** `chunks`: hashes of the earlier conversations, oldest first. */
export type SessionGrant =
  | {
      readonly ok: true
      readonly chunks: readonly string[]
      readonly bytes: number
      readonly tainted: boolean
      readonly private: boolean
      /** What the agent was told in the session's last run: its definition's hash, its inputs, its body with them in it. */
      readonly prompt?: Prompt
    }
  | { readonly ok: false; readonly fault: string }

/** The name a step's template gives; undefined: it wants no session, as `session: ${{session}}` in a run that was started without one. */
export function nameOf(run: Run, template: string | undefined, filled: () => string): Result<string | undefined, string> {
  if (template === undefined) return ok(undefined)
  if (run.session === undefined && onlyReference(template)?.root === "session") return ok(undefined)
  const name = filled().trim()
  if (isSessionId(name)) return ok(name)
  return err(
    `the session's name ${JSON.stringify(name.slice(0, 200))} is none: 1 to 128 letters, digits, "-", "_" and ".", no "." in front`,
  )
}

/** What a session wants before its first model call. */
export function sessionWish(run: Run, id: string, s: StepState, session: Session): SessionWish[] | undefined {
  if (session.sticky === undefined || session.sticky.chunks !== undefined) return undefined
  const key = sessionKey(id, s.pass)
  return Object.hasOwn(run.underway, key) ? [] : [{ do: "open-session", key, step: id, agent: session.agent, session: session.sticky.id }]
}

/** The step is through with its session, however: what was said is to be saved, and the session to be given back. */
export function owe(run: Run, step: string, s: StepState): void {
  const { session } = s
  if (session?.sticky === undefined) return
  run.transcripts.push({
    step,
    pass: s.pass,
    agent: session.agent,
    session: session.sticky.id,
    seqs: session.turn === 0 ? [] : [...session.sticky.seqs, ...session.seqs],
    tainted: session.tainted,
    private: session.private,
  })
}
