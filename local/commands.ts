// The commands of `sluice`: each makes a few client calls, prints lines for a person and returns the exit code.

import type { Sluice } from "../src/client/sluice.ts"
import { RunStatus } from "../src/core/run/event-parts.ts"
import type { Json, JsonObject } from "../src/core/json.ts"
import type { Asked } from "../src/api/doc/interactions.doc.ts"
import type { Answer } from "../src/api/interactions.ts"
import type { Diagnostic } from "../src/core/diagnostic.ts"
import { inputsOf, USAGE, type Typed } from "./command-line.ts"
import { bundleOf, definitionOf, text } from "./definition-files.ts"
import { plain } from "./show-run.ts"
import { Trouble } from "./trouble.ts"
import { test } from "./test-flows.ts"
import { watchRun } from "./watch-run.ts"

type Command = (client: Sluice, typed: Typed, out: NodeJS.WriteStream) => Promise<number>

const COMMANDS: Readonly<Record<string, Command>> = { run, runs, watch, cancel, inbox, answer, catalog, test, validate, verify, help }

export function commandOf(name: string): Command {
  const found = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!found) throw new Trouble(`there is no command "${name}"; the commands are ${Object.keys(COMMANDS).join(", ")}`)
  return found
}

async function verify(client: Sluice, { words, given }: Typed, out: NodeJS.WriteStream): Promise<number> {
  const [path] = needed(words, "verify FILE")
  // The kernel comes with it, which no other command needs.
  return (await import("./verify.ts")).verifyFile(client, path, given.keys, out)
}

async function help(_: Sluice, _typed: Typed, out: NodeJS.WriteStream): Promise<number> {
  out.write(USAGE)
  return 0
}

async function run(client: Sluice, { words, given }: Typed, out: NodeJS.WriteStream): Promise<number> {
  const [flow] = needed(words, "run FLOW")
  const start = {
    ...(given.task === undefined ? {} : { task: given.task }),
    ...(given.input === undefined ? {} : { inputs: inputsOf(given.input) as JsonObject }),
    ...(given.rehearse === undefined ? {} : { rehearse: given.rehearse }),
    ...(given.autonomous === undefined ? {} : { autonomous: given.autonomous }),
    ...(given.tag === undefined ? {} : { tags: given.tag }),
  }
  if (given.detach === true) {
    out.write(`${(await client.flows.start(flow, start)).id}\n`)
    return 0
  }
  const started = client.flows.run(flow, start, { transient: true })
  const id = await started.id
  out.write(`${id}\n`)
  return show(started, id, out)
}

async function watch(client: Sluice, { words }: Typed, out: NodeJS.WriteStream): Promise<number> {
  const [id] = needed(words, "watch RUN")
  return show(client.runs.events(id, { transient: true }), id, out)
}

async function show(frames: Parameters<typeof watchRun>[0], run: string, out: NodeJS.WriteStream): Promise<number> {
  const last = await watchRun(frames, out, (event) => {
    if (event.type === "interaction.asked") out.write(`        answer it: npm run sluice -- answer ${run}/${event.id} …\n`)
    return false
  })
  return last?.type === "run.ended" && last.status === "succeeded" ? 0 : 1
}

async function runs(client: Sluice, { given }: Typed, out: NodeJS.WriteStream): Promise<number> {
  const most = given.limit === undefined ? 20 : Number(given.limit)
  const status = given.status === undefined ? undefined : RunStatus.options.filter((s) => given.status?.split(",").includes(s))
  if (!Number.isInteger(most) || most < 1) throw new Trouble("--limit must be a whole number of at least 1")
  if (status?.length === 0) throw new Trouble(`--status must be one of ${RunStatus.options.join(", ")}`)
  const filter = { ...(given.flow === undefined ? {} : { flow: given.flow }), ...(status === undefined ? {} : { status }) }
  let shown = 0
  for await (const row of client.runs.list({ ...filter, limit: Math.min(most, 200) })) {
    const mark = row.pending > 0 ? `  asks ${row.pending}` : ""
    out.write(`${row.id}  ${row.created}  ${row.status.padEnd(9)}  ${plain(row.flow)}${mark}${row.rehearsed ? "  rehearsed" : ""}\n`)
    if (++shown >= most) break
  }
  if (shown === 0) out.write("no runs\n")
  return 0
}

async function cancel(client: Sluice, { words }: Typed, out: NodeJS.WriteStream): Promise<number> {
  const [id] = needed(words, "cancel RUN")
  out.write(`${(await client.runs.cancel(id)).status}\n`)
  return 0
}

async function inbox(client: Sluice, _: Typed, out: NodeJS.WriteStream): Promise<number> {
  let shown = 0
  for await (const one of client.interactions.list()) {
    shown += 1
    const where = one.run === null ? "outside a run" : `${plain(one.flow)}, step ${plain(one.step)}`
    out.write(`${handleOf(one)}  ${one.kind}  ${where}\n    ${plain(questionOf(one))}\n`)
  }
  if (shown === 0) out.write("no open questions\n")
  return 0
}

/** The argument of `answer`: each run numbers its questions from 1, so the id alone is ambiguous. */
const handleOf = ({ run, id }: Asked): string => (run === null ? id : `${run}/${id}`)

function questionOf({ payload }: Asked): string {
  const { question, tool, args } = payload
  if (typeof question === "string") return question
  return tool === undefined ? JSON.stringify(payload) : `${JSON.stringify(tool)} wants to run: ${JSON.stringify(args ?? {})}`
}

async function answer(client: Sluice, { words, given }: Typed, out: NodeJS.WriteStream): Promise<number> {
  const [id, ...answerWords] = needed(words, "answer RUN/ID [ANSWER]")
  let found: Asked | undefined
  for await (const one of client.interactions.list())
    if (handleOf(one) === id) {
      found = one
      break
    }
  if (!found) throw new Trouble(`"${id}" is not in the inbox: it is already answered, or does not exist`, 1)
  const decision = given.approve === true ? "approve" : given.reject === true ? "reject" : undefined
  const hash = found.payload["hash"]
  const body: Answer = decision
    ? {
        decision,
        ...(typeof hash === "string" && decision === "approve" ? { hash } : {}),
        ...(given.feedback === undefined ? {} : { feedback: given.feedback }),
      }
    : given.auto === true
      ? { auto: true }
      : { answer: given.json === undefined ? spoken(answerWords) : jsonOf(given.json) }
  const done =
    found.run === null
      ? await client.interactions.answerQuestion(found.id, body)
      : await client.interactions.answer(found.run, found.id, body)
  out.write(`${done.status}\n`)
  return 0
}

function spoken(words: readonly string[]): string {
  if (words.length === 0) throw new Trouble("give the answer: a text, --json VALUE, --auto, --approve or --reject")
  return words.join(" ")
}

function jsonOf(value: string): Json {
  try {
    return JSON.parse(value) as Json
  } catch {
    throw new Trouble(`--json ${value}: this is not JSON`)
  }
}

async function catalog(client: Sluice, { words }: Typed, out: NodeJS.WriteStream): Promise<number> {
  const [what, folder] = words
  if (what === "list") {
    const { data, revision } = await client.catalog.list()
    for (const { path, tier, diagnostics } of data)
      out.write(`${tier.padEnd(8)}  ${plain(path)}${diagnostics.length === 0 ? "" : `  ${diagnostics.length} diagnostics`}\n`)
    out.write(`revision ${revision}\n`)
    return 0
  }
  if (what !== "put" || folder === undefined) throw new Trouble("write `catalog put DIR` or `catalog list`")
  const { revision, diagnostics } = await client.catalog.replace(await bundleOf(folder))
  for (const [path, list] of Object.entries(diagnostics)) for (const d of list) out.write(`${lineOf(path, d)}\n`)
  out.write(`revision ${revision}\n`)
  return 0
}

async function validate(client: Sluice, { words }: Typed, out: NodeJS.WriteStream): Promise<number> {
  needed(words, "validate FILE…")
  let isValid = true
  for (const file of words) {
    const { kind, path } = definitionOf(file)
    const { valid, diagnostics } = await client.catalog.validate(kind, await text(file), path)
    for (const d of diagnostics) out.write(`${lineOf(file, d)}\n`)
    out.write(`${file}: ${valid ? "valid" : "not valid"}\n`)
    isValid &&= valid
  }
  return isValid ? 0 : 3
}

/** The format of compilers, so editors can jump to the place. */
const lineOf = (file: string, { line, column, severity, code, message, suggestion }: Diagnostic<string>): string =>
  `${plain(file)}:${line}${column === undefined ? "" : `:${column}`}: ${severity} ${code}: ${plain(message)}${suggestion === undefined ? "" : ` (${plain(suggestion)})`}`

function needed(words: readonly string[], usage: string): readonly [string, ...string[]] {
  const [first, ...rest] = words
  if (first === undefined) throw new Trouble(`write \`${usage}\``)
  return [first, ...rest]
}
