// npm run budget: 10,000 schedules of 200 branches against a model that always bills the maximum, with a crash at every await [B1].
// SCHEDULES=N sets the number of schedules, THREADS=N the number of threads. Half of them die at every await of whole worlds; half die
// at random. The same harness with the bill checked only after the call shows that it can fail. The last line is "N passed, N failed".

import { availableParallelism } from "node:os"
import { isMainThread, parentPort, Worker } from "node:worker_threads"
import { AWAITS } from "./life.ts"
import { add, atEveryAwait, byChance, newTally, type Tally } from "./schedules.ts"
import { BRANCHES } from "./world.ts"

type Job = { readonly kind: "world" | "chance" | "naive"; readonly seed: number; readonly upTo: number }

const CHUNK = 25
const NAIVE = 200

function work({ kind, seed, upTo }: Job): Tally {
  const tally = newTally()
  if (kind === "world") atEveryAwait(seed, tally)
  else for (let s = seed; s < upTo; s++) byChance(s, tally, kind === "naive" ? "after" : "before")
  return tally
}

if (!isMainThread) parentPort?.on("message", (job: Job) => parentPort?.postMessage(work(job)))
else {
  const wanted = Number(process.env["SCHEDULES"] ?? "10000")
  const threads = Number(process.env["THREADS"] ?? "0") || Math.min(4, availableParallelism())
  const began = performance.now()
  const tallies = { world: newTally(), chance: newTally(), naive: newTally() }
  let worlds = 0
  let from = 1
  let naive = 1
  const next = (): Job | undefined => {
    if (naive <= NAIVE) return { kind: "naive", seed: naive, upTo: (naive += CHUNK) }
    // The number of awaits in a world is known only after living through it: take whole worlds until there are enough.
    return tallies.world.schedules < wanted / 2 ? { kind: "world", seed: (worlds += 1), upTo: 0 } : undefined
  }
  const byChanceNext = (): Job | undefined => {
    const all = Math.floor(wanted / 2)
    return from > all ? undefined : { kind: "chance", seed: from, upTo: Math.min(all + 1, (from += CHUNK)) }
  }
  await Promise.all(
    Array.from({ length: threads }, async () => {
      const worker = new Worker(new URL(import.meta.url))
      const done = (job: Job): Promise<Tally> =>
        new Promise((resolve, reject) => {
          worker.removeAllListeners("error").once("error", reject).once("message", resolve).postMessage(job)
        })
      for (let job = next() ?? byChanceNext(); job; job = next() ?? byChanceNext()) {
        add(tallies[job.kind], await done(job))
      }
      await worker.terminate()
    }),
  )
  const all = newTally()
  add(all, tallies.world)
  add(all, tallies.chance)
  const seconds = (performance.now() - began) / 1000
  const say = (text: string): void => console.log(text)
  say(
    `${all.schedules} schedules of ${BRANCHES} branches in ${seconds.toFixed(0)} s on ${threads} threads: ${all.events} events, ${all.calls} model calls`,
  )
  say(
    `  a death at every await: ${tallies.world.schedules} schedules, worlds 1 to ${worlds}; at random: ${tallies.chance.schedules}, seeds 1 to ${from - 1}`,
  )
  say(`  deaths by await: ${AWAITS.map((at) => `${at} ${all.deaths[at]}`).join(", ")}`)
  say(`  a person was asked for more in ${all.asked}; overshoot: ${all.overshot} schedules, at most ${all.most} dollars`)
  say(
    `  checked only after the call: ${tallies.naive.overshot} of ${tallies.naive.schedules} overshoot, at most ${tallies.naive.most.toFixed(2)} dollars`,
  )
  for (const breach of all.breaches.slice(0, 20)) say(`FAIL ${breach}`)
  const canFail = tallies.naive.overshot === tallies.naive.schedules
  if (!canFail) say("FAIL the harness finds no overshoot where one exists")
  const failed = all.breaches.length + (canFail ? 0 : 1)
  say(`${all.schedules - all.breaches.length + (canFail ? 1 : 0)} passed, ${failed} failed`)
  process.exitCode = failed > 0 ? 1 : 0
}
