// Plays the provider kind `scripted` [M2]: turns from the tenant's settings, by model id or `*`. It is stateless: the turn to play depends
// only on the session's place, so any isolate gives the same answer. After the end the last turn repeats.

import { readTurns, turnsOfPass, type RehearsedTurn } from "../../core/case/rehearsal.ts"
import { err, ok, type Result } from "../../core/result.ts"
import type { Model, ModelError } from "../../ports/model.ts"
import type { ProviderSettings } from "../../ports/tenant/providers.ts"
import { refusal } from "../reply/failure.ts"
import { playing } from "./turns.ts"

type Scripts = NonNullable<ProviderSettings["turns"]>

/** The fault of the scripts, or undefined, for the settings route. */
export function checkScripts(scripts: ProviderSettings["turns"]): string | undefined {
  if (scripts === undefined || Object.keys(scripts).length === 0)
    return 'a provider of kind scripted needs turns: {"MODEL or *": [turn, …]}'
  for (const [id, list] of Object.entries(scripts)) {
    const read = readTurns(list)
    if (!read.ok) return `turns["${id}"]: ${read.error.join("; ")}`
    if (read.value.length === 0) return `turns["${id}"] is empty: give it at least one turn`
  }
  return undefined
}

export function scriptedModel(scripts: Scripts, id: string): Result<Model, ModelError> {
  const list = Object.hasOwn(scripts, id) ? scripts[id] : Object.hasOwn(scripts, "*") ? scripts["*"] : undefined
  if (list === undefined) return err(refusal(`no script for model "${id}": add it, or "*", to the provider's turns`, 404))
  const read = readTurns(list)
  if (!read.ok) return err(refusal(`the script of model "${id}" is invalid: ${read.error.join("; ")}`, 422))
  const turns = read.value
  return ok(
    playing(({ place }) => {
      const group: readonly RehearsedTurn[] = turnsOfPass(turns, place.pass)
      return group[place.turn + place.failures] ?? group.at(-1) ?? {}
    }),
  )
}
