// Says of a run whether a person waits for it, and so how its model calls stand in line [R27].

import type { Run } from "../run/state.ts"
import type { Rank } from "./turns.ts"

/** A person who answered or steered looks at the run for so long. */
const LOOKED_MS = 600_000

/** A request that starts a run and reads it as a stream opens the stream a moment later. */
const OPENING_MS = 5_000

/** `isFollowed`: somebody has a request or a stream of the run open. */
export function rankOf(
  run: Pick<Run, "start" | "started" | "trigger" | "asker" | "conversation" | "personAt">,
  isFollowed: boolean,
  now: number,
): Rank {
  const { start, personAt } = run
  if (start?.priority === "low") return "low"
  const isWaitedFor =
    start?.attended === true && (run.trigger.kind !== "api" || cameAsMessage(run) || isFollowed || now - run.started <= OPENING_MS)
  if (isWaitedFor || (personAt !== undefined && now - personAt <= LOOKED_MS)) return "attended"
  return start?.priority ?? "normal"
}

/** [P2] A run of a door: whoever sent the message reads the answer when it is there, with or without a request that is open. */
const cameAsMessage = ({ asker, conversation }: Pick<Run, "asker" | "conversation">): boolean =>
  asker !== undefined || conversation !== undefined
