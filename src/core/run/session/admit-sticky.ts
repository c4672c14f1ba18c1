// The tenant's object has answered for a sticky session [J25]: it is ours with what was said in it, or another one has it.

import { canonical } from "../../json.ts"
import { fail } from "./admit-session.ts"
import type { Fact } from "../event.ts"
import { type Run, type Session, stepState } from "../state.ts"
import type { Prompt, SessionGrant } from "./sticky.ts"

/** A session that another one has is a soft failure: a `retry:` of the step may find it free. */
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
      ...(grant.private ? { private: true } : {}),
      ...(grant.prompt && s.session && stillHolds(run, s.session, grant.prompt) ? { body: grant.prompt.body } : {}),
    },
  ]
}

/** A body may quote the task, and the task is new each time: the prompt stays the first one's, so that the conversation reads as one
 *  (and a provider's cache goes on holding it), until the agent or what it is given changes. Inputs left empty change nothing. */
function stillHolds(run: Run, { agent, sticky }: Session, prompt: Prompt): boolean {
  const agents = run.pins?.agents ?? {}
  if (!Object.hasOwn(agents, agent) || agents[agent] !== prompt.definition) return false
  const inputs = sticky?.inputs ?? {}
  return Object.values(inputs).every((v) => v === "") || canonical(inputs) === canonical(prompt.inputs)
}
