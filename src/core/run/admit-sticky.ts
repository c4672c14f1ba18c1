// The tenant's object has answered for a sticky session [J25]: it is ours with what was said in it, or another one has it.

import { fail } from "./admit-session.ts"
import type { Fact } from "./event.ts"
import { type Run, stepState } from "./state.ts"
import type { SessionGrant } from "./sticky.ts"

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
    },
  ]
}
