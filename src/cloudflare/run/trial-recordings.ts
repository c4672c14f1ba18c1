// Reads what the recording of a trial was answered [V35], once while the trial's object is awake, and finds the recordings of runs below it.

import { RecordedAnswers } from "../../core/experiment/recorded-answers.ts"
import type { Trial } from "../../core/run/event-parts.ts"
import { TrialRecording } from "../../engine/run/call/trial-recording.ts"
import { eventsOf } from "../../engine/trial/run-case.ts"
import type { RunPort } from "../../ports/run.ts"

/** A run below a trial is answered by what the same step of the recording started. */
export type TrialBelow = (
  above: Trial | undefined,
  place: Place,
  run: (id: string) => Pick<RunPort, "events">,
) => Promise<Trial | undefined>

interface Place {
  readonly step: string
  readonly pass: number
  readonly index: number
}

export const trialBelow: TrialBelow = async (above, { step, pass, index }, run) => {
  if (above === undefined) return undefined
  const { recording, ...trial } = above
  const events = recording === undefined ? [] : await eventsOf(run(recording))
  const below = events.find((e) => e.type === "child.started" && e.step === step && e.pass === pass && e.index === index)
  return below?.type === "child.started" ? { ...trial, recording: below.run } : trial
}

export class TrialRecordings {
  readonly #run: (id: string) => Pick<RunPort, "events">
  readonly #known = new Map<string, TrialRecording>()

  constructor(run: (id: string) => Pick<RunPort, "events">) {
    this.#run = run
  }

  async of(id: string): Promise<TrialRecording> {
    const known = this.#known.get(id) ?? new TrialRecording(new RecordedAnswers(await eventsOf(this.#run(id))))
    this.#known.set(id, known)
    return known
  }
}
