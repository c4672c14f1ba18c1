// Converts a run to a stream of Chat Completions chunks [P25]: the agents' intermediate texts are reasoning, the answer is the content, and
// a question is an answer that ends the response. Each chunk names its run; the last one of a response has the tokens.

import { defined } from "../../core/defined.ts"
import type { JsonObject } from "../../core/json.ts"
import type { EventOf, RunEvent } from "../../core/run/event.ts"
import type { PiFlowsFrame } from "../../core/run/views/pi-flows.ts"
import { answerText } from "../../core/run/protocol/answer-text.ts"
import { questionText } from "../../core/run/protocol/person-text.ts"
import type { SpokenPiece } from "../../core/run/protocol/sent-text.ts"
import { outsideId, ProtocolState } from "../../core/run/protocol/protocol-state.ts"
import { answerPieces } from "../../core/run/protocol/text-pieces.ts"

export class ChatFrames {
  readonly #story: ProtocolState

  constructor(from?: ChatFrames) {
    this.#story = new ProtocolState(from === undefined ? undefined : from.#story)
  }

  copy(): ChatFrames {
    return new ChatFrames(this)
  }

  frames(e: RunEvent): PiFlowsFrame[] {
    const story = this.#story
    story.take(e)
    switch (e.type) {
      case "run.started":
        return [this.#chunk({ role: "assistant", content: "" })]
      case "model.replied": {
        const rest = story.spoken.rest(e.step, e.turn, e.text)
        return this.#reasoning(e.text === "" || rest === "" ? rest : `${rest}\n`)
      }
      case "run.waiting":
        // A question that was asked while a child ran is first waited for here.
        return story.isAsking ? this.#asks() : []
      case "run.ended":
        return this.#ended(e)
      default:
        return []
    }
  }

  said(piece: SpokenPiece): PiFlowsFrame[] {
    return this.#reasoning(this.#story.spoken.piece(piece))
  }

  #reasoning(text: string): PiFlowsFrame[] {
    return text === "" ? [] : [this.#chunk({ reasoning_content: text })]
  }

  #asks(): PiFlowsFrame[] {
    const open = [...this.#story.open.values()]
    const text = open.map((asked) => questionText(asked)).join("\n\n")
    // The handler tells the questions itself, with links, and knows by this member which content is theirs.
    const asked = open.map(({ id, run, child }) => (child === undefined ? id : outsideId(run, id)))
    return [...this.#content(text, { sluice: { asked } }), this.#end("stop", { asked })]
  }

  #ended({ status, output, error }: EventOf<"run.ended">): PiFlowsFrame[] {
    if (status !== "succeeded") {
      const message = error?.message ?? `the run was ${status}`
      const said = { message, type: "run_failed", param: null, code: error?.source ?? status }
      return [{ event: "", data: { error: said, sluice: this.#about() } }]
    }
    return [...this.#content(answerText(output, this.#story.summary)), this.#end("stop", defined({ output }))]
  }

  #content(text: string, more: JsonObject = {}): PiFlowsFrame[] {
    return answerPieces(text).map((content) => this.#chunk({ content }, null, more))
  }

  #chunk(delta: JsonObject, finish: string | null = null, more: JsonObject = {}): PiFlowsFrame {
    const { run, flow, started } = this.#story
    return {
      event: "",
      data: {
        id: `chatcmpl-${run}`,
        object: "chat.completion.chunk",
        created: Math.floor(started / 1000),
        model: flow,
        choices: [{ index: 0, delta, finish_reason: finish }],
        ...("role" in delta ? { sluice: this.#about() } : {}),
        ...more,
      },
    }
  }

  #end(reason: string, more: JsonObject): PiFlowsFrame {
    const { input, output, children, cached, reasoning: thought } = this.#story
    const usage = {
      prompt_tokens: input + children,
      completion_tokens: output,
      total_tokens: input + output + children,
      prompt_tokens_details: { cached_tokens: cached },
      completion_tokens_details: { reasoning_tokens: thought },
    }
    return this.#chunk({}, reason, { usage, sluice: { ...this.#about(), ...more } })
  }

  #about(): JsonObject {
    const { run, thread, status, seq } = this.#story
    return { run, thread, status, seq }
  }
}
