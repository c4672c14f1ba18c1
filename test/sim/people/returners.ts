// Returners: who comes back in the calm to each thread that there is, and says one more thing: no thread refuses every message for ever [P7].

import type { Actor, Life } from "./life.ts"

/** A claim whose run never came is forgotten after a minute, and a run that is at work comes to its end. */
const PATIENCE_MS = 1_200_000

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

async function say(life: Life, thread: string): Promise<void> {
  const text = life.name(`back-${thread.slice(-3)}`)
  const asked = life.now
  const body = { id: thread, trigger: "submit-message", messages: [{ id: "back", role: "user", parts: [{ type: "text", text }] }] }
  for (;;) {
    const { status, text: said } = await life.admin.insist("POST", "/v1/flows/talk/chat", body)
    if (status !== 409) break
    if (life.now - asked > PATIENCE_MS) return life.found(`[P7] the thread ${thread} refuses every message: ${said.slice(0, 200)}`)
    await life.sleep(15_000)
  }
  for (const { id, task } of await life.admin.all<{ id: string; task?: string }>(`/v1/runs?thread=${thread}&limit=200`))
    if (task === text) life.started("talk", text, id, "chat", asked)
}
