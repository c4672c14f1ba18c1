// Lookers: who has the list of runs open, looks at each new run at once, and cancels one before its starter knows of it [H5, J14].

import { isNo, STORM_MS, type Actor, type Life } from "./life.ts"

export const lookers: Actor = {
  name: "lookers",
  often: 0.2,
  play(life) {
    const rolls = life.rollsOf("lookers")
    life.onStart(({ id, by }) => {
      if (by !== "delivery") return
      life.at(0, "looking at what a delivery starts", () => look(life, id))
      if (rolls.chance("cancel a delivery", 0.3)) life.at(rolls.roll("cancel when") * 50, "canceling it", () => cancel(life, id))
    })
    life.at(rolls.roll("first") * 30_000, "looking", async () => {
      const known = new Set<string>()
      while (life.now < STORM_MS && !life.isOver) {
        const { data } = await life.admin.get<{ data: readonly { id: string; task?: string }[] }>("GET", "/v1/runs?limit=20")
        const news = data.filter(({ id }) => !known.has(id))
        for (const { id } of news) {
          known.add(id)
          life.at(0, "looking at a run", () => look(life, id))
          if (rolls.chance("cancel", 0.1)) life.at(0, "canceling what is new", () => cancel(life, id))
        }
        await life.sleep(300 + rolls.roll("pause") * 4_000)
      }
    })
  },
  rest: (life) => tagged(life),
}

/** A list by a tag has what has the tag. */
async function tagged(life: Life): Promise<string[]> {
  const rows = await life.admin.all<{ id: string; tags?: readonly string[] }>("/v1/runs?tag=sim&limit=200")
  return rows.filter(({ tags = [] }) => !tags.includes("sim")).map(({ id }) => `[H5] ${id} is in the list of a tag that it does not have`)
}

/** A request waits for a run that is promised and has not begun, at most 3 s; if the try that it waits for is lost, nobody hears of a start any more, and
 *  the request is told then to come again. */
const BEGINS_MS = 500

async function look(life: Life, run: string): Promise<void> {
  const asked = life.now
  const first = await life.admin.ask("GET", `/v1/runs/${run}`).catch(() => undefined)
  if (first?.status === 503 && first.text.includes(":not_begun") && life.now < asked + BEGINS_MS - 100)
    life.found(`[W3] ${run} is said not to have begun, and nobody has waited for it: ${Math.round(life.now - asked)} ms`)
  for (let n = 0; n < 3; n++) {
    const { status, text } = await life.admin.insist("GET", `/v1/runs/${run}`)
    if (status === 200) {
      const { id } = JSON.parse(text) as { id: string }
      if (id !== run) life.found(`[J14] GET of ${run} shows a run "${id}"`)
    } else if (status !== 404) throw new Error(`GET ${run}: ${status} ${text.slice(0, 200)}`)
    await life.sleep(200)
  }
}

async function cancel(life: Life, run: string): Promise<void> {
  const { status, text } = await life.admin.insist("POST", `/v1/runs/${run}/cancel`, {})
  if (status < 300) life.told.canceled.add(run)
  else if (!isNo(status)) throw new Error(`${status} ${text.slice(0, 200)}`)
}
