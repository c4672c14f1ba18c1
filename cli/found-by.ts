// The options that say which runs are meant, for the list and for what is done with many runs at once.

import type { RunFilter } from "../src/client/runs.ts"
import { defined } from "../src/core/defined.ts"
import { RunStatus, Trigger } from "../src/core/run/event-parts.ts"
import type { GivenOptions, Option } from "./command.ts"
import { usage } from "./program.ts"

const TRIGGERS = Trigger.shape.kind.options

export const FOUND_BY: readonly Option[] = [
  { flags: "--flow <flow>", says: "only runs of this flow, or of several joined by commas; * stands for any characters" },
  { flags: "--status <status>", says: "only with one of these statuses, joined by commas" },
  { flags: "--q <words>", says: "only runs with all of these words in the id, the task, the error, the tags or the trigger" },
  { flags: "--since <time>", says: "only runs created at this time or later: a time, a day, or a span such as 7d" },
  { flags: "--until <time>", says: "only runs created before this time" },
  { flags: "--tag <tag>", says: "only runs with this tag" },
  { flags: "--trigger <kind>", says: "only runs started by this", choices: TRIGGERS },
  { flags: "--thread <id>", says: "only runs of this conversation" },
  { flags: "--session <id>", says: "only runs of this conversation of single agents" },
]

export function foundBy(given: GivenOptions): Omit<RunFilter, "limit" | "children" | "parent"> {
  const status = given.text("status")
  const statuses = RunStatus.options.filter((one) => status?.split(",").includes(one))
  if (status !== undefined && (statuses.length === 0 || statuses.length < status.split(",").length))
    throw usage(`--status must be one of ${RunStatus.options.join(", ")}`)
  const trigger = TRIGGERS.find((kind) => kind === given.text("trigger"))
  const [flow, q, since, until, tag, session, thread] = ["flow", "q", "since", "until", "tag", "session", "thread"].map((name) =>
    given.text(name),
  )
  return defined({ flow, q, since, until, tag, session, thread, trigger, status: statuses.length === 0 ? undefined : statuses })
}
