// Readers: who follows a run's events, goes away, and comes back with the id of the last one [E4].

import { type Actor, type Life } from "./life.ts"

export const readers: Actor = {
  name: "readers",
  often: 0.25,
  play(life) {
    const rolls = life.rollsOf("readers")
    life.onStart(({ id, name }) => {
      if (rolls.chance("read", 0.4)) life.at(rolls.roll("when") * 5_000, `reading ${name}`, () => read(life, id))
    })
  },
  rest: (life) => same(life),
}

/** In the calm a reader waits for so long: what a run waits for may never come. */
const PATIENCE_MS = 600_000
const FRAME = /^id: (\d+)$/m
const DATA = /^data: (.*)$/m

async function read(life: Life, run: string): Promise<void> {
  const rolls = life.rollsOf("readers")
  const events: string[] = []
  let isOver = false
  let connections = 0
  let calmSince = Number.POSITIVE_INFINITY
  const isPatient = (): boolean => {
    if (life.isCalm) calmSince = Math.min(calmSince, life.now)
    return !life.isOver && life.now - calmSince < PATIENCE_MS
  }
  for (; !isOver && isPatient(); connections++) {
    let left = rolls.chance("goes away", 0.4) ? 1 + rolls.below("after", 20) : Number.POSITIVE_INFINITY
    let rest = ""
    const take = (text: string): boolean => {
      const frames = (rest + text).split("\n\n")
      rest = frames.pop() ?? ""
      for (const frame of frames) {
        const seq = Number(FRAME.exec(frame)?.[1] ?? 0)
        if (seq === 0) continue
        if (seq !== events.length + 1) life.found(`[E4] a reader of ${run} that had ${events.length} events got event ${seq}`)
        events[seq - 1] = DATA.exec(frame)?.[1] ?? ""
        left--
      }
      return left > 0 && isPatient()
    }
    try {
      const { status } = await life.admin.follow(
        `/v1/runs/${run}/events`,
        events.length > 0 ? { "last-event-id": String(events.length) } : {},
        take,
      )
      if (status === 404 || status === 401) return
      isOver = status === 204 || events.at(-1)?.includes('"type":"run.ended"') === true
    } catch {
      // The connection was lost.
    }
    await life.sleep(500 + rolls.roll("away") * (life.isCalm ? 60_000 : 10_000))
  }
  life.told.readings.push({ run, events, connections, isOver })
}

/** What was read is the journal, up to its end if the reader was told that it is over. */
async function same(life: Life): Promise<string[]> {
  const wrong: string[] = []
  for (const { run, events, isOver } of life.told.readings) {
    if (life.told.deleted.has(run) || (await life.run(run)) === undefined) continue
    const journal = await life.journal(run)
    const at = events.findIndex((text, i) => text !== journal[i])
    if (at >= 0) wrong.push(`[E4] event ${at + 1} of ${run} was read as ${events[at]?.slice(0, 150)} and is ${journal[at]?.slice(0, 150)}`)
    const end = journal.findIndex((text) => text.includes('"type":"run.ended"'))
    if (isOver && events.length < end + 1)
      wrong.push(`[E4] a reader of ${run} was told that it is over after ${events.length} of ${end + 1} events`)
  }
  return wrong
}
