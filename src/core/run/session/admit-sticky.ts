// Admits the tenant object's answer about a sticky session [J25]: the step owns the session and gets its earlier conversation, or another
// step owns it.

import { canonical } from "../../json.ts"
import { fail } from "./admit-session.ts"
import { keepsApart } from "./apart.ts"
import type { Fact } from "../event.ts"
import { type Run, type Session, stepState } from "../state.ts"
import type { Prompt, SessionGrant } from "./sticky.ts"

/** The facts of the answer. A session that another step owns is a soft failure: a `retry:` may find it free. */
export function sessionOpened(run: Run, step: string, grant: SessionGrant): Fact[] {
  const s = stepState(run, step)
  if (!grant.ok) return [fail(step, s, "config", grant.fault, false)]
  return [
    {
      type: "session.opened",
      step,
      session: s.session?.sticky?.id ?? "",
      chunks: [...grant.chunks],
      bytes: grant.bytes,
      ...(grant.tainted ? { tainted: true } : {}),
      // [G11] The earlier conversation was marked, and what a person says in the next run may answer what it asked.
      ...(grant.private || (grant.tainted && grant.chunks.length > 0) ? { private: true } : {}),
      ...(grant.prompt && s.session && stillHolds(run, s.session, grant.prompt) ? { body: grant.prompt.body } : {}),
    },
  ]
}

/** The first prompt stays, so that the conversation reads as a whole (and a provider's cache keeps it), until the agent or its inputs change.
 *  Empty inputs change nothing. A prompt of earlier builds may have the task of an earlier message. */
function stillHolds(run: Run, { agent, sticky }: Session, prompt: Prompt): boolean {
  const agents = run.pins?.agents ?? {}
  if (!Object.hasOwn(agents, agent) || agents[agent] !== prompt.definition) return false
  if (keepsApart(run) !== (prompt.apart === true)) return false
  const inputs = sticky?.inputs ?? {}
  return Object.values(inputs).every((v) => v === "") || canonical(inputs) === canonical(prompt.inputs)
}
