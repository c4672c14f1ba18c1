// Reads back a person's answer.

import type { EventOf } from "../../../core/run/event.ts"
import type { Answer, Untold } from "../../../core/run/signal.ts"

/** [K18] An earlier build told the agent nothing of it. */
export const untoldIn = ({ told, decision }: EventOf<"interaction.answered">): Untold =>
  told !== true && (decision === "approve" || decision === "edit") ? { untold: true } : {}

export function answerOf({ answer, notes, custom, auto, cancelled, decision, args, feedback }: EventOf<"interaction.answered">): Answer {
  const isDecision = decision === "approve" || decision === "reject" || decision === "edit"
  return {
    ...(answer === undefined ? {} : { answer }),
    ...(notes === undefined ? {} : { notes }),
    ...(custom === undefined ? {} : { custom }),
    ...(auto === true ? { auto } : {}),
    ...(cancelled === true ? { cancelled } : {}),
    ...(isDecision ? { decision } : {}),
    ...(args === undefined ? {} : { args }),
    ...(feedback === undefined ? {} : { feedback }),
  }
}
