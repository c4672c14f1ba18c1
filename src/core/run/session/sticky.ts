// Requests, names and saves sticky sessions [J25]: an agent's conversation that continues in a later run.
//
// Only one step at a time owns a session: the tenant object grants it. Nothing is stored here; this code reads only the history.

import { type Result, err, ok } from "../../result.ts"
import { onlyReference } from "../../flow/template.ts"
import type { Run, Session, StepState } from "../state.ts"
import { sessionKey } from "../key.ts"

export const SESSION_ID = "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$"

const pattern = new RegExp(SESSION_ID)
export const isSessionId = (text: string): boolean => pattern.test(text)

/** The owner of a session: a pass of a step. A repeated request gets the same answer. */
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
  /** [G11] The body has no text from outside, and nothing of its run's message. */
  readonly apart?: true
}

/** `chunks`: hashes of the earlier conversations, oldest first. */
export type SessionGrant =
  | {
      readonly ok: true
      readonly chunks: readonly string[]
      readonly bytes: number
      readonly tainted: boolean
      readonly private: boolean
      /** The agent's prompt in the session's last run: the hash of its definition, its inputs, and its expanded body. */
      readonly prompt?: Prompt
    }
  | { readonly ok: false; readonly fault: string }

/** The session's name, from the step's template; undefined: no session, for example `session: ${{session}}` in a run started without one. */
export function nameOf(run: Run, template: string | undefined, filled: () => string): Result<string | undefined, string> {
  if (template === undefined) return ok(undefined)
  if (run.session === undefined && onlyReference(template)?.root === "session") return ok(undefined)
  const name = filled().trim()
  if (isSessionId(name)) return ok(name)
  return err(
    `the session's name ${JSON.stringify(name.slice(0, 200))} is none: 1 to 128 letters, digits, "-", "_" and ".", no "." in front`,
  )
}

/** The action that requests a session before its first model call. */
export function sessionWish(run: Run, id: string, s: StepState, session: Session): SessionWish[] | undefined {
  if (session.sticky === undefined || session.sticky.chunks !== undefined) return undefined
  const key = sessionKey(id, s.pass)
  return Object.hasOwn(run.underway, key) ? [] : [{ do: "open-session", key, step: id, agent: session.agent, session: session.sticky.id }]
}

/** [K32] Tells whether the run, being staged or dry, reads only a copy. A session named after the run, for its planners, is its own [C40]. */
export const isCopied = (run: Run, id: string): boolean =>
  run.effects !== undefined && id !== (run.parent?.root ?? run.parent?.run ?? run.id)

/** The step no longer needs its session, for any reason: the shell must save the conversation and release the session. */
export function owe(run: Run, step: string, s: StepState): void {
  const { session } = s
  if (session?.sticky === undefined || session.sticky.isCopy === true || isCopied(run, session.sticky.id)) return
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
