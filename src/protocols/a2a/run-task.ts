// Presents a run as an A2A task [P14, P15]: its state, its questions as messages that both people and programs read, and its answer as an
// artifact.

import { defined } from "../../core/defined.ts"
import { isObject, type Json, type JsonObject } from "../../core/json.ts"
import { isoTime } from "../../core/text/iso-time.ts"
import type { RunStatus } from "../../core/run/event-parts.ts"
import { questionText, type AskedPerson } from "../../core/run/protocol/person-text.ts"
import { outsideId } from "../../core/run/protocol/protocol-state.ts"

export const TASK_STATES = ["SUBMITTED", "WORKING", "INPUT_REQUIRED", "COMPLETED", "FAILED", "CANCELED"] as const
export type TaskState = (typeof TASK_STATES)[number]

const ENDED: Readonly<Partial<Record<RunStatus, TaskState>>> = {
  queued: "SUBMITTED",
  succeeded: "COMPLETED",
  failed: "FAILED",
  canceled: "CANCELED",
}

export const taskState = (status: RunStatus, isAsking: boolean): TaskState => ENDED[status] ?? (isAsking ? "INPUT_REQUIRED" : "WORKING")

/** The run behind a task. */
export interface Task {
  readonly run: string
  readonly thread: string
}

export const taskStatus = (state: TaskState, at: number, message?: JsonObject): JsonObject => ({
  state: `TASK_STATE_${state}`,
  timestamp: isoTime(at),
  ...defined({ message }),
})

/** `name` is unique within the run. */
export const taskMessage = ({ run, thread }: Task, name: string, role: "USER" | "AGENT", parts: readonly JsonObject[]): JsonObject => ({
  messageId: outsideId(run, name),
  contextId: thread,
  taskId: run,
  role: `ROLE_${role}`,
  parts: [...parts],
})

export interface TaskQuestion extends AskedPerson {
  /** The run that asks; absent: the task's. */
  readonly run?: string
  readonly id: string
  readonly step: string
  /** ISO 8601. */
  readonly expires?: string
}

/** [P15] The open questions, as text and data. */
export function questionParts(run: string, open: readonly TaskQuestion[]): JsonObject[] {
  const interactions = open.map(({ run: asks = run, id, kind, step, payload, schema, expires }) => ({
    id: outsideId(asks, id),
    kind,
    step,
    payload,
    schema,
    ...defined({ expires }),
  }))
  return [{ text: open.map((asked) => questionText(asked)).join("\n\n") }, { data: { interactions } }]
}

/** [P14] An output that is an object comes as data too. */
export const answerArtifact = (text: string, output: Json | undefined): JsonObject => ({
  artifactId: "answer",
  name: "answer",
  parts: [{ text }, ...(isObject(output) ? [{ data: output as JsonObject }] : [])],
})

/** A file as an artifact. `content`: its bytes or its address. */
export const fileArtifact = (path: string, content: { readonly raw: string } | { readonly url: string }): JsonObject => ({
  artifactId: `file:${path}`,
  name: path,
  parts: [{ ...content, filename: path.slice(path.lastIndexOf("/") + 1) }],
})

/** Encodes a file's path for an address, keeping slashes. */
export const filePath = (run: string, path: string): string => `/v1/runs/${run}/files/${path.split("/").map(encodeURIComponent).join("/")}`
