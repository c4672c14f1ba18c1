// Answers calls of a trial that leave the run as its row's run recorded them [V35]. The guard judges them as always; nothing is sent, and a write is
// not kept. The answer belongs to the reply or to the step's calls in the journal, so it stays the same when the recording is gone.

import { CallCount, type RecordedAnswers } from "../../../core/experiment/recorded-answers.ts"
import type { ToolCall } from "../../../core/run/event-parts.ts"
import type { Plan } from "../../../core/run/plan.ts"
import { goingOut } from "../../../core/tool/reach.ts"
import type { Journal } from "../../../ports/journal.ts"

const PAGE = 500

/** Kept while the object is awake: it reads each event of its journal once. */
export class TrialRecording {
  readonly #answers: RecordedAnswers
  readonly #before = new CallCount()
  #read = 0

  constructor(answers: RecordedAnswers) {
    this.#answers = answers
  }

  /** `calls`: of one reply, which is not in the journal yet. */
  answered({ plan, journal }: { readonly plan: Plan; readonly journal: Journal }, step: string, calls: readonly ToolCall[]): ToolCall[] {
    this.#catchUp(journal)
    const here = new CallCount()
    return calls.map((call) => {
      const asked = { step, tool: call.name, args: call.args }
      const nth = this.#before.of(asked) + here.of(asked)
      here.add(asked)
      const tool = plan.tools.get(call.name)
      if (call.raw !== undefined || tool === undefined || goingOut(tool, call.args) === undefined) return call
      const result = this.#answers.result(asked, nth)
      return result === undefined ? call : { ...call, result }
    })
  }

  #catchUp(journal: Journal): void {
    for (;;) {
      const page = journal.read(this.#read, PAGE)
      for (const e of page) this.#before.read(e)
      this.#read = page.at(-1)?.seq ?? this.#read
      if (page.length < PAGE) return
    }
  }
}
