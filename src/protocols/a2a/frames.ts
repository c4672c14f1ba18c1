// Converts a run to the items of an A2A stream [P14]: the task, its updates, and its answer. Ended steps are reported, but not the agents'
// intermediate texts.

import { defined } from "../../core/defined.ts"
import type { JsonObject } from "../../core/json.ts"
import { isoTime } from "../../core/text/iso-time.ts"
import type { EventOf, RunEvent } from "../../core/run/event.ts"
import type { PiFlowsFrame } from "../../core/run/views/pi-flows.ts"
import { answerArtifact, fileArtifact, filePath, questionParts, taskMessage, taskStatus, type TaskState } from "./run-task.ts"
import { answerText } from "../../core/run/protocol/answer-text.ts"
import { ProtocolState } from "../../core/run/protocol/protocol-state.ts"

export class A2aFrames {
  readonly #story: ProtocolState

  constructor(from?: A2aFrames) {
    this.#story = new ProtocolState(from === undefined ? undefined : from.#story)
  }

  copy(): A2aFrames {
    return new A2aFrames(this)
  }

  frames(e: RunEvent): PiFlowsFrame[] {
    const story = this.#story
    story.take(e)
    switch (e.type) {
      case "run.started":
        return [this.#task(e)]
      case "run.waiting":
        return [story.isAsking ? this.#asks(e.at) : this.#status("WORKING", e.at)]
      case "run.paused":
      case "run.resumed":
      case "step.opened":
      case "step.skipped":
      case "step.reopened":
        return [this.#status("WORKING", e.at)]
      case "step.finished":
        return this.#finished(e)
      case "run.ended":
        return this.#ended(e)
      default:
        return []
    }
  }

  #task({ at, task }: EventOf<"run.started">): PiFlowsFrame {
    const { run, thread, flow, status } = this.#story
    const said = taskMessage({ run, thread }, "m0", "USER", [{ text: task }])
    const sluice = { run, flow, status }
    return told({ task: { id: run, contextId: thread, status: taskStatus("WORKING", at), history: [said], metadata: { sluice } } })
  }

  #asks(at: number): PiFlowsFrame {
    const { run, open } = this.#story
    const asked = [...open.values()].map(({ expires, ...rest }) => ({ ...rest, ...defined({ expires: isoTime(expires) }) }))
    return this.#status("INPUT_REQUIRED", at, questionParts(run, asked))
  }

  #finished({ step, at, summary, files }: EventOf<"step.finished">): PiFlowsFrame[] {
    const { run } = this.#story
    const written = new Set(files.flatMap(({ path, action }) => (action === "read" ? [] : [path])))
    return [
      this.#status("WORKING", at, [{ text: `${step}: ${summary}` }]),
      ...[...written].map((path) => this.#artifact(fileArtifact(path, { url: filePath(run, path) }))),
    ]
  }

  #ended({ status, output, error, at }: EventOf<"run.ended">): PiFlowsFrame[] {
    if (status === "succeeded")
      return [this.#artifact(answerArtifact(answerText(output, this.#story.summary), output)), this.#status("COMPLETED", at)]
    return [
      status === "canceled" && error === undefined
        ? this.#status("CANCELED", at)
        : this.#status(status === "canceled" ? "CANCELED" : "FAILED", at, [{ text: error?.message ?? `the run was ${status}` }]),
    ]
  }

  #status(state: TaskState, at: number, parts?: readonly JsonObject[]): PiFlowsFrame {
    const { run, thread, seq } = this.#story
    const message = parts && taskMessage({ run, thread }, `e${seq}`, "AGENT", parts)
    return told({ statusUpdate: { taskId: run, contextId: thread, status: taskStatus(state, at, message) } })
  }

  #artifact(artifact: JsonObject): PiFlowsFrame {
    const { run, thread } = this.#story
    return told({ artifactUpdate: { taskId: run, contextId: thread, artifact, append: false, lastChunk: true } })
  }
}

const told = (data: JsonObject): PiFlowsFrame => ({ event: "", data })
