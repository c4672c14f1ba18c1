// Meddlers: who signals, pauses, resumes, steers, cancels and deletes runs that are under way, and puts files into them.

import type { Answer } from "../platform/service.ts"
import { isNo, type Actor, type Life } from "./life.ts"
import type { Started } from "./told.ts"

/** Signals are sent in each seed: without them a run that heeds one waits for ever. */
export const signalers: Actor = {
  name: "signalers",
  often: 1,
  play(life) {
    const rolls = life.rollsOf("signalers")
    life.onStart(({ id, flow, name }) => {
      if (flow === "heed") life.at(rolls.roll("when") * 60_000, `signal ${name}`, () => signal(life, id))
    })
  },
}

async function signal(life: Life, id: string): Promise<void> {
  const { status, text } = await life.admin.insist("POST", `/v1/runs/${id}/signals/go`, { data: {} }, { "idempotency-key": `go-${id}` })
  if (status < 300) life.told.signaled.add(id)
  else if (!isNo(status)) throw new Error(`${status} ${text.slice(0, 200)}`)
}

export const cancelers: Actor = {
  name: "cancelers",
  often: 0.35,
  play(life) {
    const rolls = life.rollsOf("cancelers")
    life.onStart(({ id, name }) => {
      if (!rolls.chance("cancel", 0.25)) return
      // At once: while it begins, asks for its first slices or starts its children.
      const when = rolls.chance("at once", 0.5) ? rolls.roll("when") ** 3 * 4_000 : rolls.roll("when") * 60_000
      life.at(when, `cancel ${name}`, () => cancel(life, id))
    })
  },
}

async function cancel(life: Life, id: string): Promise<void> {
  const { status, text } = await life.admin.insist("POST", `/v1/runs/${id}/cancel`, {})
  if (status < 300) life.told.canceled.add(id)
  else if (status === 404) life.told.missed.add(id)
  else if (!isNo(status)) throw new Error(`${status} ${text.slice(0, 200)}`)
}

export const deleters: Actor = {
  name: "deleters",
  often: 0.35,
  play(life) {
    const rolls = life.rollsOf("deleters")
    life.onStart(({ id, name }) => {
      if (rolls.chance("delete", 0.2)) life.at(10_000 + rolls.roll("when") * 200_000, `delete ${name}`, () => remove(life, id))
      // A child alone: its parent hears of it.
      if (rolls.chance("delete a child", 0.1))
        life.at(20_000 + rolls.roll("child when") * 60_000, `delete a child of ${name}`, () => removeChild(life, id))
    })
  },
}

async function remove(life: Life, id: string): Promise<void> {
  const { status, text } = await life.admin.insist("DELETE", `/v1/runs/${id}`)
  if (status < 300 || status === 404) life.told.deleted.add(id)
  else if (status !== 409) throw new Error(`${status} ${text.slice(0, 200)}`)
}

async function removeChild(life: Life, id: string): Promise<void> {
  const children = await life.admin.all<{ id: string }>(`/v1/runs?parent=${id}`)
  const child = children[0]
  if (child) await remove(life, child.id)
}

/** No message takes longer. */
const LATE_MS = 200_000

export const pausers: Actor = {
  name: "pausers",
  often: 0.25,
  play(life) {
    const rolls = life.rollsOf("pausers")
    life.onStart((started) => {
      if (rolls.chance("pause", 0.3)) life.at(rolls.roll("when") * 40_000, `pause ${started.name}`, () => pause(life, started))
    })
  },
}

async function pause(life: Life, { id }: Started): Promise<void> {
  const { admin, told } = life
  const rolls = life.rollsOf("pausers")
  const answer = await admin.insist("POST", `/v1/runs/${id}/pause`, {})
  if (isNo(answer.status)) return
  if (answer.status !== 200) throw new Error(`pause: ${answer.status} ${answer.text.slice(0, 200)}`)
  if ((JSON.parse(answer.text) as { status: string }).status === "paused") told.paused.set(id, life.now)
  if (rolls.chance("until the calm", 0.3)) await life.calm()
  else await life.sleep(rolls.roll("how long") * 90_000)
  told.paused.delete(id)
  const resume = async (): Promise<void> => {
    const { status, text } = await admin.insist("POST", `/v1/runs/${id}/resume`, {})
    if (status !== 200 && !isNo(status)) throw new Error(`resume: ${status} ${text.slice(0, 200)}`)
  }
  await resume()
  // An earlier try of the pause may arrive after the answer to the resumption.
  await life.calm()
  await life.sleep(LATE_MS)
  if ((await life.run(id))?.status === "paused") await resume()
}

export const steerers: Actor = {
  name: "steerers",
  often: 0.2,
  play(life) {
    const rolls = life.rollsOf("steerers")
    life.onStart((started) => {
      if (rolls.chance("steer", 0.3)) life.at(rolls.roll("when") * 5_000, `steer ${started.name}`, () => steer(life, started))
      if (rolls.chance("file", 0.2)) life.at(rolls.roll("file when") * 20_000, `a file for ${started.name}`, () => put(life, started))
    })
  },
}

async function steer(life: Life, { id, name }: Started): Promise<void> {
  // It names no case: the model would take it for another task.
  const message = `hurry, ${name.slice(5)}`
  const path = `/v1/runs/${id}/steps/a/steer`
  const say = (said: string, { status, text }: Answer): void => {
    if (status === 202)
      life.told.steers.push({ run: id, step: "a", id: (JSON.parse(text) as { id: string }).id, message: said, at: life.now })
    // 422: this flow has no such step.
    else if (!isNo(status) && status !== 422 && status < 500 && status !== 429) throw new Error(`${status} ${text.slice(0, 200)}`)
  }
  say(message, await life.admin.insist("POST", path, { message }, { "idempotency-key": `steer-${name}` }))
  // Those without a key of their own ask once.
  for (const said of [`${message}, now`, `${message}, at last`]) {
    const answer = await life.admin.ask("POST", path, { message: said }).catch(() => undefined)
    if (answer) say(said, answer)
  }
}

async function put(life: Life, { id, name }: Started): Promise<void> {
  const path = "from-outside.md"
  const body = `for ${name}, from outside\n`
  const { status, text } = await life.admin.insist("PUT", `/v1/runs/${id}/files/${path}`, body, { "content-type": "text/plain" })
  if (status < 300) life.told.files.push({ run: id, path, text: body, at: life.now })
  else if (!isNo(status)) throw new Error(`${status} ${text.slice(0, 200)}`)
}
