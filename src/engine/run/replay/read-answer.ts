// Reads back a person's answer.

import { defined } from "../../../core/defined.ts"
import type { EventOf } from "../../../core/run/event.ts"
import type { Answer } from "../../../core/run/signal.ts"

export function answerOf({ answer, notes, custom, auto, cancelled, decision, args, feedback }: EventOf<"interaction.answered">): Answer {
  const isDecision = decision === "approve" || decision === "reject" || decision === "edit"
  return {
    ...defined({ answer, notes, custom }),
    ...(auto === true ? { auto } : {}),
    ...(cancelled === true ? { cancelled } : {}),
    ...(isDecision ? { decision } : {}),
    ...defined({ args, feedback }),
  }
}
