// Chatters: who sends messages to threads of a flow, several at once, and the same one again [P1, P7, P8].

import { STORM_MS, type Actor, type Life } from "./life.ts"
import type { Message } from "./told.ts"

const THREADS = 2
const TURNS = 3

export const chatters: Actor = {
  name: "chatters",
  often: 0.2,
  play(life) {
    const rolls = life.rollsOf("chatters")
    for (let n = 0; n < THREADS; n++) life.at(rolls.roll("when") * STORM_MS * 0.6, `thread ${n}`, () => chat(life, n))
  },
  rest: (life) => once(life),
}

async function chat(life: Life, n: number): Promise<void> {
  const rolls = life.rollsOf("chatters")
  const thread = `${life.tenant}-thread-${life.nth}-${n}`
  // A message to a flow that asks may be an answer.
  const flow = rolls.pick("flow", ["talk", "talk", "talk", "quiz"])
  const asked = life.now
  for (let turn = 0; turn < TURNS; turn++) {
    const both = [0, 1].map((k): Message => ({ flow, thread, id: `m${turn}-${k}`, text: life.name(`c${n}-${turn}${k}`), statuses: [] }))
    const [first, second] = both as [Message, Message]
    life.told.messages.push(first, second)
    const sends = [say(life, first)]
    if (rolls.chance("another one", 0.5)) sends.push(say(life, second))
    if (rolls.chance("the same again", 0.5)) sends.push(say(life, first))
    await Promise.all(sends)
    await life.sleep(rolls.roll("pause") * 20_000)
  }
  const rows = await life.admin.all<{ id: string; task?: string }>(`/v1/runs?thread=${thread}&limit=200`)
  // One that has no task yet is promised, and may never begin.
  for (const { id, task } of rows) if (task !== undefined) life.started(flow, task, id, "chat", asked)
}

/** Until it is taken, or the thread has been busy for too long. */
async function say(life: Life, it: Message): Promise<void> {
  const rolls = life.rollsOf("chatters")
  const body = {
    id: it.thread,
    trigger: "submit-message",
    messages: [{ id: it.id, role: "user", parts: [{ type: "text", text: it.text }] }],
  }
  for (let tries = 0; tries < 6; tries++) {
    const path = `/v1/flows/${it.flow}/chat`
    // Some go away when they get no answer, and come back with another message.
    const isPatient = rolls.chance("patient", 0.5)
    const answer = await (isPatient ? life.admin.insist("POST", path, body) : life.admin.ask("POST", path, body).catch(() => undefined))
    if (!answer || (!isPatient && (answer.status >= 500 || answer.status === 429))) return
    const { status, text } = answer
    it.statuses.push(status)
    // 422: the run failed or was canceled; 404: it was deleted meanwhile.
    if (status === 200 || status === 422 || status === 404) return
    if (status !== 409) throw new Error(`${it.id} of ${it.thread}: ${status} ${text.slice(0, 300)}`)
    await life.sleep(4_000)
  }
}

/** A message that was taken is one run. */
async function once(life: Life): Promise<string[]> {
  const wrong: string[] = []
  for (const thread of new Set(life.told.messages.map((it) => it.thread))) {
    const rows = await life.admin.all<{ id: string; task?: string; thread?: string }>(`/v1/runs?thread=${thread}&limit=200`)
    for (const row of rows) if (row.thread !== thread) wrong.push(`[P1] ${row.id} is in the list of ${thread}, and is of ${row.thread}`)
    for (const { id, text, statuses, flow } of life.told.messages.filter((it) => it.thread === thread)) {
      const own = rows.filter((row) => row.task === text)
      if (own.length > 1) wrong.push(`[P8] the message ${id} of ${thread} has the runs ${own.map((it) => it.id).join(", ")}`)
      const isDeleted = life.told.starts.some((it) => it.name === text && life.told.deleted.has(it.id))
      if (flow === "talk" && own.length === 0 && statuses.includes(200) && !isDeleted)
        wrong.push(`[S1] the message ${id} of ${thread} was taken and has no run`)
    }
  }
  return wrong
}
