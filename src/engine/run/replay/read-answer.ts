// Reads back a person's answer.

import { defined } from "../../../core/defined.ts"
import type { EventOf } from "../../../core/run/event.ts"
import type { Answer, Untold } from "../../../core/run/signal.ts"

/** [K18] An earlier build told the agent nothing of it. */
export const untoldIn = ({ told, decision }: EventOf<"interaction.answered">): Untold =>
  told !== true && (decision === "approve" || decision === "edit") ? { untold: true } : {}

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
