// Returners: who comes back in the calm to each thread that there is, and says one more thing: no thread refuses every message for ever, and none
// waits for a message that was refused [P7].

import type { Actor, Life } from "./life.ts"

/** A claim whose run never came is forgotten after a minute, and a run that is at work comes to its end. */
const PATIENCE_MS = 1_200_000
/** A message waits for six seconds for the run of one that has claimed the thread. In the calm nothing else takes so long. */
const CLAIMED_MS = 5_800
const PATH = "/v1/flows/talk/chat"

export const returners: Actor = {
  name: "returners",
  often: 1,
  play(life) {
    life.at(0, "coming back", async () => {
      await life.calm()
      await life.sleep(60_000)
      for (const thread of new Set(life.told.messages.map((it) => it.thread))) await say(life, thread)
    })
  },
}

const messageOf = (thread: string, id: string, text: string): object => ({
  id: thread,
  trigger: "submit-message",
  messages: [{ id, role: "user", parts: [{ type: "text", text }] }],
})

async function say(life: Life, thread: string): Promise<void> {
  const text = life.name(`back-${thread.slice(-3)}`)
  const asked = life.now
  await sayAfterRefusal(life, thread)
  for (;;) {
    const { status, text: said } = await life.admin.insist("POST", PATH, messageOf(thread, "back", text))
    if (status !== 409) break
    if (life.now - asked > PATIENCE_MS) return life.found(`[P7] the thread ${thread} refuses every message: ${said.slice(0, 200)}`)
    await life.sleep(15_000)
  }
  for (const { id, task } of await life.admin.all<{ id: string; task?: string }>(`/v1/runs?thread=${thread}&limit=200`))
    if (task === text) life.started("talk", text, id, "chat", asked)
}

/** A start that is refused gives the thread back at once. */
async function sayAfterRefusal(life: Life, thread: string): Promise<void> {
  const { status } = await life.admin.insist("POST", PATH, { ...messageOf(thread, "refused", "is not taken"), sluice: { tags: 5 } })
  // Somebody's run is at work.
  if (status === 409) return
  if (status !== 422) return life.found(`[P1] a message to ${thread} with wrong tags was answered ${status}`)
  const text = life.name(`soon-${thread.slice(-3)}`)
  const asked = life.now
  let heard: number | undefined
  const first = await life.admin
    .say(PATH, messageOf(thread, "soon", text), () => {
      heard ??= life.now
      return true
    })
    .catch(() => undefined)
  if (first?.status === 200 && heard !== undefined && heard - asked >= CLAIMED_MS)
    life.found(`[P7] a message to ${thread} has waited ${heard - asked} ms for one that was refused`)
  for (const { id, task } of await life.admin.all<{ id: string; task?: string }>(`/v1/runs?thread=${thread}&limit=200`))
    if (task === text) life.started("talk", text, id, "chat", asked)
}
