// Builds a model's request [J21]: a pure function of the run and its journal.

import { defined } from "../../../core/defined.ts"
import { unchanging } from "../../../core/json.ts"
import { MAX_OUTPUT_TOKENS } from "../../../core/run/budget/worst-case.ts"
import { messages, systemPrompt, type Turn } from "../../../core/run/session/conversation.ts"
import { finishNameOf, schemaFor } from "../../../core/run/session/finish.ts"
import { choiceOf, labelsOf } from "../../../core/flow/flow.ts"
import { openCallOf } from "../../../core/run/batch/open-call.ts"
import { stepState, type Run } from "../../../core/run/state.ts"
import type { Journal } from "../../../ports/journal.ts"
import type { ModelRequest, ModelTool } from "../../../ports/model.ts"
import { isTested } from "../../../core/run/tested.ts"

export interface RequestParts {
  readonly request: Omit<ModelRequest, "messages">
  readonly turns: readonly Turn[]
  readonly ref: string
  readonly turn: number
}

export function requestFor(props: { readonly journal: Pick<Journal, "pick"> }, run: Run, key: string, id: string): RequestParts {
  const s = stepState(run, id)
  const step = run.plan.steps.get(id)
  const session = s.session
  const agent = session && run.plan.agents[session.agent]
  if (!session || !step || !agent) throw new Error(`step "${id}" has no session to ask a model for`)
  const labels = labelsOf(step)
  // `unchanging` caches the canonical text of a schema, because every turn of every session hashes it.
  const tools: ModelTool[] = s.tools.flatMap((name): ModelTool[] => {
    if (name === finishNameOf(agent))
      return [
        {
          name,
          description: "Ends your task and hands over its result. Your last action: nothing runs after it.",
          parameters: unchanging(schemaFor(agent, step)),
        },
      ]
    const tool = run.plan.tools.get(name)
    return tool ? [{ name, description: tool.description, parameters: unchanging(tool.parameters) }] : []
  })
  const max = "max_iterations" in step ? step.max_iterations : undefined
  const request: RequestParts["request"] = {
    model: "",
    system: systemPrompt(run.plan, session, choiceOf(step)),
    tools,
    // With a budget, no more than the amount reserved for this call [B2].
    maxOutputTokens: openCallOf(run, key)?.maxOutput ?? agent.max_output_tokens ?? MAX_OUTPUT_TOKENS,
    ...defined({ temperature: agent.temperature, topP: agent.top_p, seed: agent.seed, stop: agent.stop }),
    place: {
      flow: run.flow,
      step: id,
      pass: s.pass,
      turn: session.turn,
      failures: session.failures,
      agent: session.agent,
      stepType: step.type,
      ...defined({ branches: labels, loop: session.iteration === undefined ? undefined : { iteration: session.iteration, max: max ?? 0 } }),
      ...(isTested(run) ? { tested: true } : {}),
    },
  }
  return { request, turns: messages(session, props.journal.pick(session.seqs)), ref: session.model, turn: session.turn }
}
