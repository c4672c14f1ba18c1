// Money under kills [B1]: branches side by side, a model that bills a token for each byte and its full output allowance, kills among the
// calls. It bills a call on arrival, whether its answer arrives or not; the limit covers everything billed, including calls we lost.

import { sleep, type Scene } from "./scene.ts"

/** Such a run costs 52.85 when nothing is lost: it reaches the limit, whatever the kills hit. */
const LIMIT = 45
/** Rounding error of binary fractions. */
const DUST = 1e-6
const NAMES = ["case-b1", "case-b2"]

export async function playBudgets(scene: Scene): Promise<void> {
  const { client, peer } = scene
  const first = peer.when("asked", "case-b", 3)
  const ids = await Promise.all(NAMES.map((name) => scene.start("spend", name, { budget: { usd: LIMIT } })))
  await first
  await scene.kill("budgets: calls are asked")
  const look = async (): Promise<void> => {
    for (const id of ids) await scene.insist("the status", () => client.run(id))
  }
  const half = peer.when("half", "case-b", 1 + scene.chance(6))
  await look()
  await Promise.race([half, sleep(3_000)])
  await scene.kill("budgets: an answer is half there")
  const answered = peer.when("answered", "case-b", 1 + scene.chance(8))
  await look()
  await Promise.race([answered.then(() => sleep(scene.chance(20))), sleep(3_000)])
  await scene.kill("budgets: somewhere")

  let touched = 0
  for (const [i, id] of ids.entries()) {
    const name = NAMES[i] ?? ""
    // Until it is over: every request for more money is refused.
    const run = await scene.insist(`the end of ${name}`, async () => {
      const seen = await client.run(id)
      if (seen.status === "waiting")
        for (const { id: question } of await client.pending(id)) await client.answer(id, question, { answer: "stop" })
      return seen.status === "succeeded" || seen.status === "failed" ? seen : undefined
    })
    const events = await scene.events(id)
    const ledgers = events.flatMap((e) =>
      e.type === "budget.reserved" || e.type === "budget.settled" || e.type === "budget.exhausted" ? [e] : [],
    )
    const over = ledgers.find((e) => (e.spent.usd ?? 0) + (e.reserved.usd ?? 0) > (e.limit.usd ?? 0) + DUST || e.limit.usd !== LIMIT)
    const billed = peer.billed(name)
    const last = ledgers.at(-1)
    const spent = (last?.spent.usd ?? 0) + (last?.reserved.usd ?? 0)
    const fault = (wrong: boolean, what: string): string | undefined => (wrong ? `${name} (${id}, ${run.status}): ${what}` : undefined)
    scene.check("[B1] the bill never exceeds the limit", fault(billed > LIMIT + DUST, `${billed} billed of ${LIMIT}`))
    scene.check("[B1] spent plus reserved stays within the limit at every event", fault(over !== undefined, JSON.stringify(over)))
    scene.check("[B1] the bill is not more than the run counts", fault(billed > spent + DUST, `${billed} billed, ${spent} counted`))
    touched += ledgers.some((e) => e.type === "budget.exhausted") ? 1 : 0
  }
  scene.check("[B1] the run reached the limit", touched > 0 ? undefined : "every call fitted: the round shows nothing")
}
