// Listeners: who follows the tenant's stream, goes away, and comes back with the id of the last event [H15].

import { type Actor, type Life } from "./life.ts"

export const listeners: Actor = {
  name: "listeners",
  often: 0.15,
  play(life) {
    const rolls = life.rollsOf("listeners")
    const heard = new Map<string, string>()
    for (let n = 0; n < 2; n++) life.at(rolls.roll("when") * 60_000, "listening", () => listen(life, heard))
  },
}

const FRAME = /^id: (.+)$/m
const DATA = /^data: (.*)$/m
/** How a stream opens, and that something is missing: both have the id of the last event before. */
const MARK = /"type":"stream\./

/** `heard`: what any listener was told, by its id. */
async function listen(life: Life, heard: Map<string, string>): Promise<void> {
  const rolls = life.rollsOf("listeners")
  let last: string | undefined
  while (!life.isCalm && !life.isOver) {
    let left = 1 + rolls.below("goes away after", 12)
    let rest = ""
    const take = (text: string): boolean => {
      const frames = (rest + text).split("\n\n")
      rest = frames.pop() ?? ""
      for (const frame of frames) {
        const [id, data] = [FRAME.exec(frame)?.[1], DATA.exec(frame)?.[1]]
        if (id === undefined || data === undefined) continue
        const isMark = MARK.test(data)
        if (!isMark && (heard.get(id) ?? data) !== data)
          life.found(`[H15] the event ${id} of the stream is ${data.slice(0, 150)}, and was ${heard.get(id)?.slice(0, 150)}`)
        if (!isMark) heard.set(id, data)
        last = id
        left--
      }
      return left > 0 && !life.isCalm && !life.isOver
    }
    // The connection may be lost.
    await life.admin.follow("/v1/stream", last === undefined ? {} : { "last-event-id": last }, take).catch(() => undefined)
    await life.sleep(1_000 + rolls.roll("away") * 20_000)
  }
}
