// Sends the spans of an ended run, or its scores, to one collector [N9, V17], a page of the journal at a time, so that a large run is never in
// memory as a whole. Loaded where there is a collector.

import type { RunEvent } from "../../core/run/event.ts"
import { RunEvaluations, type Evaluation } from "../../core/run/views/evaluations.ts"
import type { Attribute } from "../../core/run/views/span-attributes.ts"
import { SpanContent } from "../../core/run/views/span-content.ts"
import { RunSpans } from "../../core/run/views/spans.ts"
import type { Redactor } from "../../core/secrets/redact.ts"
import { SPANS_AT_ONCE, sendEvaluations, sendSpans, type Collector } from "../../engine/net/otlp.ts"
import { SpanBatch } from "../../engine/net/span-batch.ts"
import { logError } from "../platform/log.ts"

/** The journal, in pages of at most `limit` events and about `chars` characters. */
export interface Pages {
  read(after: number, limit: number, chars: number): readonly RunEvent[]
  fork(): { readonly own: number } | undefined
}

export interface TraceSending {
  readonly collector: Collector
  readonly resource: Readonly<Record<string, Attribute>>
  readonly journal: Pages
  readonly hash: (text: string) => string
  /** What is sent contains what was said. */
  readonly redactor: Redactor | undefined
}

/** `last`: the last event that was read. `scored`: the event before the first score. */
export interface Walked {
  readonly last: number
  readonly scored?: number
}

const PAGE = 500
const PAGE_CHARS = 4 * 1024 * 1024 // limit: characters of events read for an export → the next page has the rest

export async function sendTrace({ collector, resource, journal, hash, redactor }: TraceSending): Promise<Walked> {
  const spans = new RunSpans(hash, redactor && new SpanContent((value) => redactor.json(value)))
  const batch = new SpanBatch(SPANS_AT_ONCE)
  let [last, scored] = [firstOf(journal, (event) => void spans.take(event)), undefined as number | undefined]
  for (;;) {
    const events = journal.read(last, PAGE, PAGE_CHARS)
    for (const event of events) {
      batch.add(spans.take(event))
      if (event.type === "run.scored" || event.type === "step.scored") scored ??= event.seq - 1
    }
    last = events.at(-1)?.seq ?? last
    for (const some of batch.take(events.length === 0)) {
      if ((await sendSpans(collector, resource, some)) === "sent") continue
      logError("trace.refused", { spans: some.length })
      return { last }
    }
    if (events.length === 0) return scored === undefined ? { last } : { last, scored }
  }
}

export async function sendScores({ collector, resource, journal, hash, redactor }: TraceSending, after: number): Promise<Walked> {
  const scores = new RunEvaluations(hash, redactor && ((reason) => redactor.json(reason)))
  let last = firstOf(journal, (event) => void scores.take(event))
  for (;;) {
    const events = journal.read(last, PAGE, PAGE_CHARS)
    if (events.length === 0) return { last }
    last = events.at(-1)?.seq ?? last
    const all = events.flatMap((event): readonly Evaluation[] => {
      const one = scores.take(event)
      return one && event.seq > after ? [one] : []
    })
    if (all.length === 0 || (await sendEvaluations(collector, resource, all)) === "sent") continue
    logError("trace.refused", { scores: all.length })
    return { last }
  }
}

/** [K9] What a fork's source did is in the source's trace; its first event names the flow. The event before the run's own ones. */
function firstOf(journal: Pages, take: (event: RunEvent) => void): number {
  const first = journal.fork()?.own ?? 1
  if (first > 1) for (const event of journal.read(0, 1, PAGE_CHARS)) take(event)
  return first - 1
}
