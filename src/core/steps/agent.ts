// agent: runs an agent [F16].

import { defined } from "../defined.ts"
import type { AgentStep } from "../flow/flow.ts"
import type { FieldTable } from "../flow/parse/field-table.ts"
import { readFields } from "../flow/parse/read-fields.ts"
import { openSession } from "../run/session/open-session.ts"
import { AGENT, agentOutputs, CACHE, INPUTS, MODEL, TASK } from "./agent-fields.ts"
import type { StepKind } from "./kind.ts"
import { readUntil, UNTIL } from "./until.ts"

const FIELDS = {
  agent: AGENT,
  task: TASK,
  inputs: INPUTS,
  model: MODEL,
  cache: CACHE,
  until: UNTIL,
  session: { kind: "template", about: "the name of a conversation with this agent that later runs continue" },
} as const satisfies FieldTable

export const agent: StepKind<AgentStep> = {
  fields: FIELDS,
  read(common, { fields, report }) {
    const { session, ...values } = readFields(fields, FIELDS)
    const until = readUntil(fields, report)
    const name = session === undefined || session.trim() === "" ? undefined : session
    return { ...common, type: "agent", ...values, ...defined({ until, session: name }) }
  },
  noAgent: "FV-AGENT",
  outputs: agentOutputs,
  open: (run, step) => openSession(run, step, defined({ session: step.session })),
  stub: (base, name) => ({ ...base, type: "agent", agent: name }),
}
