// Shows a run as a task [P14]: state, history, artifacts. The list uses its rows; the rest is read from the run.

import type { JsonObject } from "../../core/json.ts"
import { answerArtifact, fileArtifact, filePath, questionParts, taskMessage, taskState, taskStatus } from "./run-task.ts"
import { answerText } from "../../core/run/protocol/answer-text.ts"
import { lastSummary } from "../../core/run/views/last-summary.ts"
import { openQuestions } from "../../engine/run/open-questions.ts"
import { asksPeople, type InteractionView, type RunView } from "../../core/run/views/view.ts"
import type { RunPort } from "../../ports/run.ts"
import { addressAt } from "../../http/middleware/address.ts"
import type { Call } from "../../http/middleware/call.ts"

/** Bytes that become base64 at a time: one call cannot take a large file's bytes as arguments. */
const PIECE = 8_190
/** Bytes of a file that comes inside its artifact; a larger one is an address [P14]. */
const MAX_RAW_BYTES = 256 * 1024
/** Bytes of all of them together. */
const MAX_RAW_SUM = 4 * 1_048_576
/** Files that are artifacts of a task; the others are read from the run. */
const MAX_FILE_ARTIFACTS = 100

export interface TaskWish {
  readonly historyLength?: number | undefined
  readonly artifacts?: boolean
}

export const isAsking = asksPeople

export async function taskOf(c: Call, port: RunPort, view: RunView, wish: TaskWish = {}): Promise<JsonObject> {
  const { historyLength, artifacts = true } = wish
  const about = { run: view.id, thread: view.thread }
  const asked = isAsking(view) || historyLength !== 0 ? ((await port.interactions()) ?? []) : []
  const state = taskState(view.status, isAsking(view))
  const pending = isAsking(view) ? await openQuestions(c.get("tenant").run, view) : []
  const parts =
    state === "INPUT_REQUIRED"
      ? questionParts(view.id, pending)
      : view.error !== undefined && (state === "FAILED" || state === "CANCELED")
        ? [{ text: view.error.message }]
        : undefined
  const message = parts && taskMessage(about, `e${view.seq}`, "AGENT", parts)
  const history = historyOf(view, asked)
  return {
    id: view.id,
    contextId: view.thread,
    status: taskStatus(state, Date.parse(view.since), message),
    ...(artifacts ? { artifacts: await artifactsOf(c, port, view) } : {}),
    ...(historyLength === 0 ? {} : { history: historyLength === undefined ? history : history.slice(-historyLength) }),
    metadata: { sluice: { run: view.id, flow: view.flow, status: view.status, usage: { ...view.usage } } },
  }
}

/** What the user said and was asked, oldest first. */
function historyOf(view: RunView, asked: readonly InteractionView[]): JsonObject[] {
  const about = { run: view.id, thread: view.thread }
  return [
    taskMessage(about, "m0", "USER", [{ text: view.task }]),
    ...asked.flatMap((one) => {
      const question = taskMessage(about, `${one.id}.asked`, "AGENT", questionParts(view.id, [one]))
      return one.answer === undefined
        ? [question]
        : [question, taskMessage(about, `${one.id}.answered`, "USER", [{ data: { interaction: `${view.id}.${one.id}`, ...one.answer } }])]
    }),
  ]
}

async function artifactsOf(c: Call, port: RunPort, view: RunView): Promise<JsonObject[]> {
  const given = new Map((view.files ?? []).map(({ path, hash }) => [path, hash]))
  const files = ((await port.files()) ?? []).filter(({ path, hash }) => given.get(path) !== hash).slice(0, MAX_FILE_ARTIFACTS)
  const shown: JsonObject[] = []
  let bytes = 0
  for (const { path, size } of files) {
    const isInside = size <= MAX_RAW_BYTES && bytes + size <= MAX_RAW_SUM
    if (isInside) bytes += size
    shown.push(await fileOf(c, port, { run: view.id, path, isInside }))
  }
  if (view.status !== "succeeded") return shown
  return [answerArtifact(answerText(view.output, lastSummary(view)), view.output), ...shown]
}

/** One file as an artifact, with its bytes if it is small. */
export async function fileOf(
  c: Call,
  port: RunPort,
  file: { readonly run: string; readonly path: string; readonly isInside?: boolean },
): Promise<JsonObject> {
  const { run, path, isInside = true } = file
  const found = isInside ? await port.file(path) : undefined
  return fileArtifact(
    path,
    found && found.body.byteLength <= MAX_RAW_BYTES ? { raw: toBase64(found.body) } : { url: addressAt(c, filePath(run, path)) },
  )
}

function toBase64(bytes: Uint8Array): string {
  let text = ""
  for (let at = 0; at < bytes.length; at += PIECE) text += btoa(String.fromCharCode(...bytes.subarray(at, at + PIECE)))
  return text
}
