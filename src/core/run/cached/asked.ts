// Says what a pass of a step asks [R38]: all that its result can depend on, and nothing that differs between two runs that ask the same, as
// ids, times and the delimiters of text from outside. Its SHA-256 is the digest under which a result is kept.
//
// The opening of the pass is taken whole, so that whatever an opening says later is part of it too.

import { codePathOf } from "../../flow/code-file.ts"
import { choiceOf, labelsOf, runsCode, untilOf, type Step } from "../../flow/flow.ts"
import type { EventOf, RunEvent } from "../event.ts"
import { modelsFor } from "../session/open-session.ts"
import { stepState, type Run } from "../state.ts"

interface Reading {
  pick(seqs: readonly number[]): readonly RunEvent[]
}

/** Everything as JSON; a member that does not apply is null. */
export function askedBy(run: Run, id: string, journal: Reading): unknown {
  const step = run.plan.steps.get(id)
  const { openedSeq = 0, cache } = stepState(run, id)
  const [opened, read] = journal.pick([openedSeq, ...(cache?.files === undefined ? [] : [cache.files])])
  if (!step || opened?.type !== "step.opened") throw new Error(`step "${id}" is not open`)
  return {
    flow: run.flow,
    opened: openingOf(opened),
    files: read?.type === "context.read" ? filesOf(read) : null,
    tools: toolsOf(run, [...opened.tools, ...(opened.searched ?? [])]),
    agent: opened.agent === undefined ? null : agentOf(run, id, opened.agent, opened.tools),
    choice: choiceOf(step) ?? null,
    // [F24] A handler sees the task of its run.
    code: runsCode(step)
      ? {
          hash: run.pins?.code?.[codePathOf(run.flow, id, "js")] ?? null,
          task: run.task,
          outputs: step.outputs,
          labels: labelsOf(step) ?? null,
        }
      : null,
    ...untilIn(run, step),
    // A rehearsal says something else in each pass.
    rehearsal: run.rehearsed ? { hash: run.pins?.rehearsal ?? null, pass: opened.pass } : null,
  }
}

/** [R38] A result that was enough is enough for the same scorer alone. */
function untilIn({ pins }: Run, step: Step): object {
  const until = untilOf(step)
  return until ? { until: { ...until, version: pins?.scorers?.[until.scorer]?.version ?? null } } : {}
}

/** Without what differs between equal passes: the envelope, the number of the pass, and the marks, which the result keeps [G11]. */
function openingOf({
  seq: _seq,
  at: _at,
  v: _v,
  prev: _prev,
  pass: _pass,
  tainted: _tainted,
  origins: _origins,
  private: _private,
  ...opening
}: EventOf<"step.opened">): object {
  return opening
}

const filesOf = ({ files, attached = [], unseen = [] }: EventOf<"context.read">): object => ({
  context: files.map(({ path, hash }) => [path, hash]),
  shown: attached.map(({ path, hash }) => [path, hash]),
  unseen: unseen.map(({ path, why }) => [path, why]),
})

/** A registered tool by the hash of its definition, one of this build by what a model reads of it. */
const toolsOf = ({ pins, plan }: Run, names: readonly string[]): unknown =>
  names.map((name) => {
    const { description, parameters } = plan.tools.get(name) ?? {}
    return [name, pins?.tools?.[name] ?? { description: description ?? null, parameters: parameters ?? null }]
  })

/** [F61] Who has `skill_read` may read each skill of the run. */
function agentOf(run: Run, step: string, name: string, tools: readonly string[]): object {
  const { agents = {}, skills = {} } = run.pins ?? {}
  const own = run.plan.agents[name]?.skills ?? []
  const seen = Object.entries(skills).filter(([skill]) => tools.includes("skill_read") || own.includes(skill))
  return { hash: agents[name] ?? null, skills: Object.fromEntries(seen), models: modelsFor(run, step, name) }
}
