// Reads back a person's answer.

import type { EventOf } from "../../../core/run/event.ts"
import type { Answer } from "../../../core/run/signal.ts"

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
