// Shows a run as lines for a terminal: maps each event to zero or more lines. Pure.
//
// Text from a flow, a model or a tool is not trusted: control characters and escape sequences never reach the terminal.

import { paceWords } from "../src/core/run/views/pace-words.ts"
import { stripVTControlCharacters } from "node:util"
import type { Frame, Transient } from "../src/client/frame.ts"
import type { Json } from "../src/core/json.ts"
import { callLine, renderCall, renderResult } from "../src/core/tool/render.ts"
import { inProjectWords } from "./project-words.ts"
import { questionLines } from "./question-lines.ts"
import type { QuestionSource } from "../src/core/run/question/forms.ts"
import type { RunEvent } from "../src/core/run/event.ts"
import type { RunOutline } from "../src/core/run/views/outline.ts"

/** Display options. `color` is false in a pipe and with NO_COLOR set. */
export interface Look {
  readonly columns: number
  readonly color: boolean
}

/** The outline includes the event that is shown. */
export function showEvent(frame: Frame, outline: RunOutline, look: Look): string[] {
  const paint = painter(look)
  const at = (event: RunEvent): string => paint("dim", `${((event.at - outline.began) / 1000).toFixed(1)}s`.padStart(6))
  const room = Math.max(40, look.columns) - MARGIN
  const line = (event: RunEvent, step: string, mark: string, text: string): string[] => {
    const [first = "", ...more] = wrap(text, room)
    return [`${at(event)}  ${paint("bold", fit(step))} ${mark} ${first}`, ...more.map((rest) => `${" ".repeat(MARGIN)}${rest}`)]
  }

  switch (frame.type) {
    case "run.started": {
      const rehearsed = frame.rehearsed ? "  rehearsed: no model is asked" : ""
      return [
        `${at(frame)}  ${paint("bold", `run of ${plain(frame.flow)}`)}${paint("yellow", rehearsed)}`,
        ...indent(wrap(plain(frame.task), room), paint),
        "",
      ]
    }
    case "run.forked":
      return [`${at(frame)}  ${paint("bold", `forked from ${plain(frame.source.run)} after event ${frame.source.seq}`)}`, ""]
    case "run.superseded":
      return [`${at(frame)}  ${paint("bold", `run ${plain(frame.by)} takes its place`)}`]
    case "file.changed":
    case "step.offered":
      return []
    case "step.scored": {
      const { round, scorer, score, level, reason, error, enough } = frame
      const said = [level, error ?? reason].flatMap((text) => (text === undefined ? [] : [plain(text)])).join(": ")
      const text = `round ${round}: ${plain(scorer)} ${score ?? "gives no score"}${said === "" ? "" : ` (${said})`}`
      return line(frame, frame.step, paint(enough ? "green" : "yellow", enough ? "✓" : "↺"), text)
    }
    case "step.opened": {
      const again = frame.pass > 1 ? `, pass ${frame.pass}` : ""
      const agent = frame.agent === undefined ? frame.stepType : `${frame.agent}${frame.model === undefined ? "" : ` (${frame.model})`}`
      return line(frame, frame.step, paint("cyan", "▸"), `${plain(agent)}${again}`)
    }
    case "model.replied":
      return frame.text.trim() === "" ? [] : line(frame, frame.step, paint("dim", "“"), plain(frame.text))
    case "step.called":
    case "model.batched":
    case "child.batched":
      return []
    case "model.paced":
      return line(
        frame,
        frame.step,
        paint("dim", "…"),
        plain(frame.fallback === undefined ? paceWords(frame, frame.at) : `goes on with ${frame.fallback}`),
      )
    case "batch.sent":
      return line(
        frame,
        frame.step,
        paint("dim", "⇢"),
        `a batch of ${frame.calls} calls is sent to ${plain(frame.provider)}/${plain(frame.model)}`,
      )
    case "batch.ended": {
      const { answered, failed, expired, canceled } = frame
      return line(frame, frame.step, paint("dim", "⇠"), `a batch is answered: ${answered}, failed ${failed + expired + canceled}`)
    }
    case "tool.called":
      return line(
        frame,
        frame.step,
        paint("dim", "·"),
        `${plain(frame.tool)} ${paint("dim", glimpse(frame.tool, frame.args, room - frame.tool.length - 1))}`,
      )
    case "tool.returned":
      return frame.isError
        ? line(
            frame,
            frame.step,
            paint("red", "!"),
            `${plain(frame.tool)} failed: ${plain(renderResult({ name: frame.tool }, frame).summary)}`,
          )
        : []
    case "tool.refused":
      return line(
        frame,
        frame.step,
        paint("red", "✗"),
        paint("red", `${plain(frame.tool)} refused (${frame.code}): ${plain(frame.reason)}`),
      )
    case "tool.uncertain":
      return line(frame, frame.step, paint("red", "?"), `${plain(frame.tool)}: its outcome is unknown, so it is not sent again`)
    case "finish.rejected":
      return line(
        frame,
        frame.step,
        paint("red", "✗"),
        paint("red", `finish refused: ${frame.errors.map((e) => `${plain(e.path)} ${plain(e.message)}`).join("; ")}`),
      )
    case "reminder.sent":
      return line(frame, frame.step, paint("yellow", "!"), `reminded to finish (${frame.count})`)
    case "model.failed": {
      const next = frame.retryAt === undefined ? "" : `, next try in ${((frame.retryAt - frame.at) / 1000).toFixed(1)}s`
      return line(
        frame,
        frame.step,
        paint("red", "!"),
        `model failed${frame.status === undefined ? "" : ` (${frame.status})`}: ${said(frame.message)}${next}`,
      )
    }
    case "action.lost":
      return line(frame, frame.step, paint("yellow", "!"), `${plain(frame.kind)} call was lost in a restart`)
    case "branch.taken": {
      const way = outline.steps.get(frame.target)?.passes.length ? "back to" : "on to"
      const who = frame.by === "agent" ? "" : ` (by ${frame.by})`
      return line(frame, frame.step, paint("magenta", "→"), paint("magenta", `${plain(frame.branch)}: ${way} ${plain(frame.target)}${who}`))
    }
    case "loop.iteration":
      return line(frame, frame.step, paint("magenta", "↻"), paint("magenta", `round ${frame.iteration} of at most ${frame.max}`))
    case "loop.exhausted":
      return line(frame, frame.step, paint("yellow", "↻"), paint("yellow", `${frame.max} rounds are used up: on to ${plain(frame.target)}`))
    case "step.reopened":
      return frame.notBefore === undefined ? [] : line(frame, frame.step, paint("yellow", "↻"), `tried again, pass ${frame.pass}`)
    case "step.finished": {
      const [color, mark] = ENDS[frame.status]
      const why = frame.source === undefined ? "" : ` (${frame.source})`
      return line(frame, frame.step, paint(color, mark), `${paint(color, `${frame.status}${why}`)} ${said(frame.summary)}`)
    }
    case "step.cached":
      return line(frame, frame.step, paint("cyan", "="), `the result of ${plain(frame.run)}, which asked the same`)
    case "cache.missed":
      return []
    case "step.skipped":
      return line(frame, frame.step, paint("dim", "-"), paint("dim", "skipped"))
    case "effect.settled":
      return line(
        frame,
        frame.step,
        paint("yellow", "⇢"),
        `${plain(frame.tool)} ${frame.undoes === undefined ? "" : "undone: "}${frame.state}`,
      )
    case "commit.asked":
      return line(frame, "", paint("yellow", "⇢"), `${frame.keys.length} kept calls to carry out, decided by ${plain(frame.by)}`)
    case "undo.asked":
      return line(frame, "", paint("yellow", "⇠"), `${frame.keys.length} calls to take back, asked by ${plain(frame.by)}`)
    case "run.scored":
      return line(
        frame,
        "",
        paint("yellow", "★"),
        `${plain(frame.scorer)} ${frame.error === undefined ? (frame.score ?? "does not apply") : plain(frame.error)}`,
      )
    case "feedback.given":
      return line(frame, "", paint("yellow", "★"), `feedback by ${plain(frame.by)}: ${frame.thumb ?? frame.score ?? "a remark"}`)
    case "file.put":
      return line(frame, "", paint("dim", "+"), `${plain(frame.file.path)} put by ${plain(frame.by)}`)
    case "interaction.asked":
      return asked(frame, (text) => line(frame, frame.step, paint("yellow", "?"), paint("yellow", text)))
    case "interaction.answered":
      return line(frame, "", paint("yellow", "?"), `answered by ${plain(frame.by)}`)
    case "interaction.expired":
      return line(frame, "", paint("yellow", "?"), "not answered in time")
    case "child.started":
      return line(frame, frame.step, paint("dim", "·"), `child ${frame.index + 1} is ${plain(frame.run)}`)
    case "child.asked":
      return frame.open.flatMap((one) =>
        asked(one, (text) => line(frame, frame.step, paint("yellow", "?"), paint("yellow", `child ${frame.index + 1} ${text}`))),
      )
    case "child.ended":
      return line(frame, frame.step, paint("dim", "·"), `child ${frame.index + 1} ${frame.status}: ${plain(frame.summary)}`)
    case "signal.received":
      return line(frame, frame.step ?? "", paint("yellow", "="), `signal ${plain(frame.name)} by ${plain(frame.by)}`)
    case "code.logged":
      return frame.messages.flatMap((m) => line(frame, frame.step, paint("dim", "“"), plain(m)))
    case "lanes.moved":
    case "signal.taken":
    case "context.read":
      return []
    case "run.waiting":
    case "run.paused":
    case "run.resumed":
      return line(frame, "", paint("yellow", "="), `${frame.type.slice("run.".length)} (${plain(frame.reason)})`)
    case "warning":
      return line(frame, frame.step ?? "", paint("yellow", "!"), `${plain(frame.code)}: ${said(frame.message)}`)
    case "run.ended": {
      const color = frame.status === "succeeded" ? "green" : frame.status === "failed" ? "red" : "yellow"
      const figures = `${count(outline.turns, "model turn")}, ${count(outline.refused, "call")} refused`
      const head = `${at(frame)}  ${paint("bold", paint(color, `run ${frame.status}`))}  ${paint("dim", figures)}`
      const why =
        frame.error === undefined ? [] : wrap(`${frame.error.step ?? "run"} (${frame.error.source}): ${said(frame.error.message)}`, room)
      return ["", head, ...indent(why, (_, text) => paint("red", text)), ...indent(resultLines(frame.output, room), (_, text) => text)]
    }
    case "budget.exhausted":
      return line(
        frame,
        frame.step,
        paint("yellow", "!"),
        `the budget is exhausted: ${JSON.stringify(frame.spent)} of ${JSON.stringify(frame.limit)} spent`,
      )
    case "context.compacted":
      return line(frame, frame.step, paint("dim", "·"), "the conversation was shortened to fit the model")
    case "rules.changed":
    case "budget.reserved":
    case "budget.settled":
    case "budget.leased":
    case "session.opened":
    case "steer.queued":
    case "steer.delivered":
    case "action.begun":
    case "model.delta":
    case "tool.progress":
      return []
  }
}

/** The line that shows the current streaming text; a terminal overwrites it, a pipe never gets it. */
export function showDelta(frame: Transient, look: Look): string {
  const text = frame.type === "model.delta" ? plain(frame.text) : `${plain(frame.tool)} …`
  const room = Math.max(40, look.columns) - MARGIN
  return `${" ".repeat(8)}${fit(frame.step)} … ${text.replaceAll("\n", " ").slice(-room)}`
}

type Paint = "dim" | "bold" | "red" | "green" | "yellow" | "cyan" | "magenta"
const CODES: Readonly<Record<Paint, number>> = { dim: 2, bold: 1, red: 31, green: 32, yellow: 33, cyan: 36, magenta: 35 }
const ENDS = { complete: ["green", "✓"], error: ["red", "✗"], blocked: ["yellow", "✗"] } as const

// Time, two spaces, the step's column, a space, the mark, a space.
const STEP = 14
const MARGIN = 6 + 2 + STEP + 3

const painter =
  (look: Look) =>
  (how: Paint, text: string): string =>
    look.color && text !== "" ? `\u001b[${CODES[how]}m${text}\u001b[0m` : text
const fit = (id: string): string => {
  const step = plain(id)
  return step.length > STEP ? `${step.slice(0, STEP - 1)}…` : step.padEnd(STEP)
}
const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? "" : "s"}`
const indent = (lines: readonly string[], paint: (how: Paint, text: string) => string): string[] =>
  lines.map((text) => `${" ".repeat(8)}${paint("dim", text)}`)

/** A message of the server, as a person of a project would say it. */
const said = (message: string): string => plain(inProjectWords(message))

/** Keeps newlines, turns tabs into spaces, removes every other control character (C0, DEL, C1, direction marks). */
export function plain(text: string): string {
  return text.replaceAll("\t", "  ").replace(/(?!\n)[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, "")
}

/** Breaks at spaces; a longer word gets its own line. Color codes have no width. */
function wrap(text: string, width: number): string[] {
  return text
    .trim()
    .split("\n")
    .flatMap((row) => {
      const lines: string[] = []
      let line = ""
      for (const word of row.split(" ")) {
        const next = line === "" ? word : `${line} ${word}`
        if (visible(next) > width && line !== "") {
          lines.push(line)
          line = word
        } else line = next
      }
      return [...lines, line]
    })
}

const visible = (text: string): number => stripVTControlCharacters(text).length

/** Arguments in one short line, from the shared call renderer [T7]. */
function glimpse(tool: string, args: Readonly<Record<string, Json>>, room: number): string {
  const flat = plain(callLine({ ...renderCall({ name: tool }, args), label: "" }).trimStart()).replaceAll("\n", " ")
  return flat.length > room ? `${flat.slice(0, Math.max(10, room) - 1)}…` : flat
}

/** The question in its line, and below it what else must be known to answer it. */
function asked(question: QuestionSource, shown: (text: string) => string[]): string[] {
  const [first = "", ...more] = questionLines(question)
  return [...shown(`asks (${question.kind}): ${plain(first)}`), ...more.map((row) => `${" ".repeat(MARGIN)}${plain(row)}`)]
}

function resultLines(output: Json | undefined, room: number): string[] {
  if (output === undefined || output === null) return []
  if (typeof output !== "object" || Array.isArray(output)) return wrap(plain(asText(output)), room)
  const entries = Object.entries(output)
  const width = Math.max(...entries.map(([key]) => key.length))
  return entries.flatMap(([key, value]) => {
    const [first = "", ...more] = wrap(plain(asText(value)), room)
    return [`${plain(key).padEnd(width)}  ${first}`, ...more.map((rest) => `${" ".repeat(width)}  ${rest}`)]
  })
}

const asText = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value))
