// `run` and `watch`: a run as it happens. On a terminal the run's questions are answered in place, and Ctrl-C asks what to do with it; in a
// pipe nothing is asked, and a run that waits for a person ends the command with 4.

import { readFile } from "node:fs/promises"
import path from "node:path"
import { SluiceError } from "../../src/client/transport/sluice-error.ts"
import type { Frame } from "../../src/client/frame.ts"
import type { LineState } from "../../src/client/follow.ts"
import type { Sluice } from "../../src/client/sluice.ts"
import type { JsonObject } from "../../src/core/json.ts"
import { CHILD_INTERACTION } from "../../src/core/run/steps/child-questions.ts"
import type { RunEvent } from "../../src/core/run/event.ts"
import type { Start } from "../../src/api/run/runs.ts"
import { EffectsMode } from "../../src/core/run/event-parts.ts"
import { PRIORITIES } from "../../src/core/start/start-block.ts"
import { newOutline } from "../../src/core/run/views/read-outline.ts"
import { watchRun } from "../../local/watch-run.ts"
import { Trouble } from "../../local/trouble.ts"
import { defined } from "../../src/core/defined.ts"
import { BUDGET, budgetOf } from "../budget-option.ts"
import type { Command, GivenOptions } from "../command.ts"
import { inDraft } from "../dev/session.ts"
import { missingFlow } from "../missing-flow.ts"
import { exists, projectAround } from "../project/project.ts"
import type { Context } from "../context.ts"
import { EXIT } from "../exit.ts"
import { inputsOf, type InputTypes } from "../inputs.ts"
import { usage } from "../program.ts"
import { answering } from "./inbox.ts"
import { usageLine, stepTree } from "../step-tree.ts"
import { askInPlace, leave } from "../terminal/ask.ts"

const START = [
  { flags: "--task <text>", says: "what the run is about" },
  { flags: "--input <name=value>", says: "an input of the flow, of the type that it declares", many: true },
  { flags: "--file <path>", says: "a file for the run's workspace; NAME=PATH gives it another name there", many: true },
  BUDGET,
  { flags: "--rehearse", says: "play the rehearsal: no model is asked" },
  { flags: "--autonomous", says: "let agents answer what people would be asked" },
  {
    flags: "--effects <mode>",
    says: "what happens to calls that change something outside: carried out, held for a decision, or simulated",
    choices: EffectsMode.options,
  },
  { flags: "--thread <id>", says: "a conversation: this run follows the others with the same id" },
  { flags: "--session <id>", says: "a conversation of single agents, which steps may name in their `session`" },
  { flags: "--tag <tag>", says: "a tag of the run", many: true },
  { flags: "--priority <priority>", says: "who goes first, in line and at a paced model", choices: PRIORITIES },
  { flags: "--delay <duration>", says: "begin no earlier: after 30s, 10m, 2h, or at a time such as 2026-12-01T09:00:00Z" },
  { flags: "--expires <duration>", says: "the longest time in the queue, after which the run fails; 7d by default" },
  { flags: "--applied", says: "the flow as it is applied, also while sluice dev runs here" },
] as const

const FOLLOW = [{ flags: "--wait", says: "keep following while the run waits for a person" }] as const

export const run: Command = {
  name: "run",
  says: "start a run and show it; the exit code says how it ended",
  words: ["<flow>"],
  options: [...START, ...FOLLOW, { flags: "-d, --detach", says: "print the run's id and exit" }],
  examples: [
    'run triage --rehearse --task "The search box forgets what was typed."',
    "run digest --input day=2026-11-23 --json",
    'run triage --detach --task "…"',
    "run refund --input ticket=5 --file photo.png --budget 0.50",
  ],
  async run(context, words, given) {
    const client = await context.client()
    const flow = await flowOf(context, words.text(0), given)
    const started = await client.flows.start(flow, await startOf(context, client, flow, given)).catch(async (error: unknown) => {
      if (!(error instanceof SluiceError) || error.code !== "not_found") throw error
      throw await missing(context, client, words.text(0))
    })
    if (given.flag("detach")) {
      context.show(started, () => [started.id])
      return EXIT.ok
    }
    if (!context.isJson) context.line(started.id)
    return follow(context, client, started.id, given.flag("wait"))
  },
}

export const watch: Command = {
  name: "watch",
  says: "follow a run live, from its start",
  words: ["<run>"],
  options: FOLLOW,
  examples: ["watch run_01…", "watch run_01… --json | jq .type"],
  async run(context, words, given) {
    return follow(context, await context.client(), words.text(0), given.flag("wait"))
  },
}

/** While `sluice dev` runs in this folder, its starts use its draft [F80]. */
async function flowOf(context: Context, flow: string, given: GivenOptions): Promise<string> {
  const draft = flow.includes("@") || given.flag("applied") ? undefined : await context.draft()
  if (draft === undefined) return flow
  context.note(`from the draft of sluice dev; --applied runs what is applied`)
  return inDraft(flow, draft)
}

/** A key that may not read the catalog hears only that it is not there. */
async function missing(context: Context, client: Sluice, wanted: string): Promise<Trouble> {
  const [flow = wanted] = wanted.split("@")
  const project = await projectAround(context.world.cwd)
  const isHere = project !== undefined && (await exists(path.join(project, "flows", `${flow}.yaml`)))
  const names = await client.catalog.list().then(
    ({ data }) => data.flatMap(({ kind, id }) => (kind === "flow" ? [id] : [])),
    () => [],
  )
  return new Trouble(missingFlow(flow, { isHere, names }), EXIT.failed)
}

async function startOf(context: Context, client: Sluice, flow: string, given: GivenOptions): Promise<Start> {
  const [task, session, thread] = [given.text("task"), given.text("session"), given.text("thread")]
  const files = await givenFiles(context, given.list("file"))
  const effects = EffectsMode.options.find((mode) => mode === given.text("effects"))
  const [inputs, tags] = [given.list("input"), given.list("tag")]
  return {
    ...defined({ task }),
    ...(inputs.length === 0 ? {} : { inputs: (await inputsFor(context, client, flow, inputs)) as JsonObject }),
    ...(files.length === 0 ? {} : { files: Object.fromEntries(files) }),
    ...(given.yes("rehearse") ? { rehearse: true } : {}),
    ...(given.yes("autonomous") ? { autonomous: true } : {}),
    ...defined({ effects, session, thread, budget: budgetOf(given) }),
    ...(tags.length === 0 ? {} : { tags: [...tags] }),
    ...blockOf(given),
  }
}

/** [R1] What the start itself says of its place in line. */
function blockOf(given: GivenOptions): Pick<Start, "start"> {
  const priority = PRIORITIES.find((one) => one === given.text("priority"))
  const start = defined({ priority, delay: given.text("delay"), expires: given.text("expires") })
  return Object.keys(start).length === 0 ? {} : { start }
}

/** The flow is asked for its types only where they matter. A key that may not read the catalog starts runs all the same. */
async function inputsFor(context: Context, client: Sluice, flow: string, pairs: readonly string[]): Promise<Record<string, unknown>> {
  const guessed = inputsOf(pairs)
  if (Object.values(guessed).every((value) => typeof value === "string")) return guessed
  return inputsOf(pairs, await inputTypes(context, client, flow))
}

async function inputTypes(context: Context, client: Sluice, flow: string): Promise<InputTypes | undefined> {
  const [name = flow, version = ""] = flow.split("@")
  const project = version.startsWith("draft:") ? await projectAround(context.world.cwd) : undefined
  // The draft of `sluice dev` is made of the files here.
  if (project !== undefined) return (await import("../flow-inputs.ts")).inputTypesIn(project, name)
  const graph = await client.flows.graph(flow).catch((error: unknown) => {
    if (error instanceof SluiceError) return undefined
    throw error
  })
  return graph?.start?.inputs
}

/** Name in the workspace → the file's bytes. */
async function givenFiles(context: Context, list: readonly string[]): Promise<readonly (readonly [string, { readonly base64: string }])[]> {
  return Promise.all(
    list.map(async (given) => {
      const at = given.indexOf("=")
      const [name, file] = at < 1 ? [path.basename(given), given] : [given.slice(0, at), given.slice(at + 1)]
      const bytes = await readFile(context.file(file)).catch(() => {
        throw usage(`--file ${file} cannot be read`)
      })
      return [name, { base64: bytes.toString("base64") }] as const
    }),
  )
}

/** In a row, about 1.4 s: a connection that is back sooner is worth no word. */
const TOLD_LOSSES = 3

async function follow(context: Context, client: Sluice, id: string, isPatient: boolean): Promise<number> {
  const leaving = new AbortController()
  let losses = 0
  const onLine = ({ state }: LineState): void => {
    if (state === "open" && losses >= TOLD_LOSSES) context.note("the connection is back")
    losses = state === "open" ? 0 : losses + 1
    if (losses === TOLD_LOSSES) context.note("the connection is lost, and is tried again; the run goes on")
  }
  const frames = client.runs.events(id, { transient: !context.isJson, signal: leaving.signal, onLine })
  const outline = newOutline()
  const done = leave(context, client, id, leaving)
  /** A run that is shown from its start may have been answered since. */
  const isLeftWaiting = async (event: RunEvent): Promise<boolean> =>
    !isPatient && isWaiting(event) && (await client.runs.get(id)).seq <= event.seq
  try {
    const last = context.isJson
      ? await printed(context, frames, isLeftWaiting)
      : await watchRun(
          frames,
          context.world.out,
          async (event) => {
            if (event.type === "interaction.asked" || event.type === "child.asked")
              if (context.isTerminal) await done.aside(() => askInPlace(context, client, id, event))
              else if (event.type === "interaction.asked") context.line(`        answer it: ${answering(event, `${id}/${event.id}`)}`)
            return !context.isTerminal && (await isLeftWaiting(event))
          },
          outline,
        )
    if (last?.type !== "run.ended") return last === undefined ? EXIT.failed : EXIT.waits
    if (!context.isJson) for (const line of [...stepTree(outline), usageLine(outline)]) context.line(line)
    return last.status === "succeeded" ? EXIT.ok : EXIT.failed
  } catch (error) {
    // Ctrl-C: the person has chosen what happens to the run.
    if (leaving.signal.aborted) return done.code()
    throw error
  } finally {
    done.stop()
  }
}

async function printed(
  context: Context,
  frames: AsyncIterable<Frame>,
  isLeftWaiting: (event: RunEvent) => Promise<boolean>,
): Promise<RunEvent | undefined> {
  for await (const frame of frames) {
    if (!("seq" in frame)) continue
    context.json(frame)
    if (frame.type === "run.ended" || (await isLeftWaiting(frame))) return frame
  }
  return undefined
}

const isWaiting = (event: RunEvent): boolean =>
  event.type === "run.waiting" && (event.reason === "interaction" || event.reason === CHILD_INTERACTION)
