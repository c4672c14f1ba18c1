// `fork`: a run that goes on from a moment of another, with what is changed on the way: files of the project, models, the task, inputs.

import path from "node:path"
import type { Fork } from "../../src/api/run/forks.ts"
import type { ForkCheck } from "../../src/api/doc/run/forks.doc.ts"
import type { Sluice } from "../../src/client/sluice.ts"
import { EffectsMode } from "../../src/core/run/event-parts.ts"
import type { JsonObject } from "../../src/core/json.ts"
import { defined } from "../../src/core/defined.ts"
import { definitionOf, text } from "../../local/definition-files.ts"
import { plain } from "../../local/show-run.ts"
import { Trouble } from "../../local/trouble.ts"
import { BUDGET, budgetOf } from "../budget-option.ts"
import type { Command, GivenOptions } from "../command.ts"
import type { Context } from "../context.ts"
import { EXIT } from "../exit.ts"
import { inputsOf, jsonOf } from "../inputs.ts"
import { projectAround } from "../project/project.ts"
import { usage } from "../program.ts"

export const fork: Command = {
  name: "fork",
  says: "start a run that continues from a moment of another, with your changes",
  words: ["<run>"],
  options: [
    {
      flags: "--from <moment>",
      says: "a step; `failed`: the step that failed the run; or the number of an event. The beginning by default",
    },
    { flags: "--turn <n>", says: "of --from STEP: before this turn of its agent, from 1" },
    { flags: "--file <file>", says: "use this file of the project, such as agents/x.md, instead of the run's own", many: true },
    { flags: "--model <agent=model>", says: "another model for an agent", many: true },
    { flags: "--task <text>", says: "another task" },
    { flags: "--input <name=value>", says: "another input of the flow", many: true },
    {
      flags: "--effects <mode>",
      says: "what happens to calls that change something outside; held for a decision by default",
      choices: EffectsMode.options,
    },
    BUDGET,
    { flags: "--body <json>", says: "the whole body of POST /v1/runs/RUN/fork, for what has no option" },
    { flags: "--wish <json>", says: "the same as --body", isOld: true },
    { flags: "--check", says: "show what the fork would keep and ask again; start nothing" },
  ],
  examples: [
    "fork run_01… --from failed --check",
    "fork run_01… --from sort --file agents/sorter.md",
    "fork run_01… --from sort --model sorter=anthropic/claude-haiku-4-5 --effects dry",
    `fork run_01… --body '{"from": {"interaction": "i1"}}'`,
  ],
  async run(context, words, given) {
    const client = await context.client()
    const [run, wish] = [words.text(0), await wishOf(context, client, words.text(0), given)]
    if (given.flag("check")) {
      const found = await client.runs.checkFork(run, wish)
      context.show(found, () => checkLines(found))
      return EXIT.ok
    }
    const started = await client.runs.fork(run, wish)
    context.show(started, () => [started.id])
    return EXIT.ok
  },
}

async function wishOf(context: Context, client: Sluice, run: string, given: GivenOptions): Promise<Fork> {
  const body = given.text("body") ?? given.text("wish")
  const whole = body === undefined ? {} : (jsonOf("--body", body) as Fork)
  const effects = EffectsMode.options.find((mode) => mode === given.text("effects"))
  const from = await fromOf(client, run, given)
  const patch = { ...whole.patch, ...(await patchOf(context, given)) }
  return { ...whole, ...defined({ from, effects, budget: budgetOf(given) }), ...(Object.keys(patch).length === 0 ? {} : { patch }) }
}

async function fromOf(client: Sluice, run: string, given: GivenOptions): Promise<Fork["from"] | undefined> {
  const [from, turn] = [given.text("from"), given.number("turn", 1)]
  if (turn !== undefined && (from === undefined || /^\d+$/.test(from))) throw usage("--turn is of a step: write --from STEP --turn N")
  if (from === undefined) return undefined
  if (/^\d+$/.test(from)) return { seq: Number(from) }
  const step = from === "failed" ? (await client.runs.get(run)).error?.step : from
  if (step === undefined) throw new Trouble(`no step failed ${run}: name the step with --from STEP (sluice show ${run})`, EXIT.failed)
  return { step, ...defined({ turn: turn === undefined ? undefined : turn - 1 }) }
}

async function patchOf(context: Context, given: GivenOptions): Promise<NonNullable<Fork["patch"]>> {
  const root = (await projectAround(context.world.cwd)) ?? context.world.cwd
  const files = await Promise.all(
    given.list("file").map(async (name) => {
      const place = path.relative(root, context.file(name)).split(path.sep).join("/")
      definitionOf(place)
      return [place, await text(context.file(name))] as const
    }),
  )
  const definitions = { ...Object.fromEntries(files), ...(await handlersIn(root, files)) }
  const models = given.list("model").map((pair) => {
    const at = pair.indexOf("=")
    if (at < 1) throw usage(`--model ${pair}: write AGENT=MODEL`)
    return [pair.slice(0, at), pair.slice(at + 1)] as const
  })
  const inputs = given.list("input")
  return {
    ...(files.length === 0 ? {} : { definitions }),
    ...(models.length === 0 ? {} : { models: Object.fromEntries(models) }),
    ...defined({ task: given.text("task") }),
    ...(inputs.length === 0 ? {} : { inputs: inputsOf(inputs) as JsonObject }),
  }
}

/** A handler that imports something is sent as its bundle. */
async function handlersIn(root: string, files: readonly (readonly [string, string])[]): Promise<Record<string, string>> {
  const code = files.flatMap(([place, content]) => (place.startsWith("code/") ? [[place.slice("code/".length), content] as const] : []))
  if (code.length === 0) return {}
  const { sendable } = await import("../handlers/packed.ts")
  const sent = await sendable(root, { code: Object.fromEntries(code) })
  return Object.fromEntries(Object.entries(sent.code ?? {}).map(([name, content]) => [`code/${name}`, content]))
}

function checkLines({ kept, asked, staged, changed }: ForkCheck): readonly string[] {
  const at = ({ step, pass }: { readonly step: string; readonly pass: number }): string =>
    `${plain(step)}${pass === 1 ? "" : ` (pass ${pass})`}`
  const list = (steps: readonly string[]): string => (steps.length === 0 ? "nothing" : steps.join(", "))
  return [
    `keeps       ${list(kept.map(at))}`,
    `asks again  ${list(asked.map(at))}`,
    `changed     ${list(changed.map(plain))}`,
    ...staged.map((call) => `not repeated by itself: ${plain(call.tool)} of ${at(call)}`),
  ]
}
