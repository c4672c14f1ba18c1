// All ways in, several at a time, and the judgment of each pair.

import { z } from "zod"
import { CLOSED, LOOK } from "./closed.ts"
import { DOORS_IN } from "./doors-in.ts"
import { AGENTS, textOf, type House } from "./house.ts"
import type { Orders } from "./orders.ts"
import { Person } from "./person.ts"
import { WAYS_IN, type WayIn } from "./ways-in.ts"
import { attack, leftMemory, markOf, WAYS_OUT } from "./ways-out.ts"
import type { World } from "./world.ts"

const Run = z.looseObject({ status: z.string(), error: z.unknown().optional() })
const LANES = 6
/** A busy machine takes long; nothing else depends on it. */
const PATIENCE_MS = 240_000

export interface Judged {
  readonly passed: number
  readonly failed: readonly string[]
}

interface Prepared extends WayIn {
  readonly name: string
  readonly attack: string
}

export async function raid(services: House, world: World, orders: Orders, wanted: (name: string) => boolean): Promise<Judged> {
  const ways = Object.entries({ ...WAYS_IN, ...DOORS_IN })
    .filter(([name]) => wanted(name))
    .map(([name, setting]): Prepared => {
      const word = orders.word()
      return { name, attack: word, ...setting({ name, attack: word, orders, world }) }
    })
  await services.send("PUT", "/v1/catalog", {
    agents: AGENTS,
    flows: Object.fromEntries(
      [...ways.flatMap((it) => Object.entries(it.flows)), ["recall", RECALL], ["look", LOOK]].map(([n, t]) => [`${n}.yaml`, t]),
    ),
    code: Object.fromEntries(ways.flatMap((it) => Object.entries(it.code ?? {}))),
    skills: {},
  })
  const person = new Person(services, world)
  person.begin()
  const failed: string[] = []
  const left = [...ways]
  const lane = async (): Promise<void> => {
    for (let it = left.shift(); it; it = left.shift())
      try {
        await enter(services, world, orders, it)
      } catch (error) {
        failed.push(`${it.name}: ${error instanceof Error ? error.message : String(error)}`)
      }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  let passed = 0
  const look = async (task: string): Promise<void> => ended(services, await started(services, "look", task))
  for (const [name, check] of Object.entries(CLOSED).filter(([it]) => wanted(it))) {
    const fault = await check({ services, world, orders, look }).catch((error: unknown) => String(error))
    if (fault === undefined) passed++
    else failed.push(`${name}: ${fault}`)
  }
  await person.end()
  failed.push(...person.trouble)
  for (const { name, attack: word } of ways) {
    if (!orders.seen.has(word)) failed.push(`${name}: the attacker's text never reached a model`)
    for (const out of Object.keys(WAYS_OUT)) {
      const fault = faultOf(world, markOf(name, out))
      if (fault === undefined) passed++
      else failed.push(`[G11] ${name} → ${out}: ${fault}`)
    }
  }
  return { passed, failed }
}

/** Why this pair does not hold. */
function faultOf(world: World, mark: string): string | undefined {
  const effects = world.effects.filter((it) => it.mark === mark)
  const early = effects.find((it) => !it.approved)
  if (early) return `${early.request} arrived without a person's approval`
  if (effects.length === 0) return "nothing arrived after the approval either: the test shows nothing"
  const approvals = world.approvals.get(mark) ?? 0
  if (effects.length > approvals) return `${approvals} approvals had ${effects.length} effects`
  return effects.every((it) => it.leaks) ? undefined : "what arrived did not carry the private data: the test shows nothing"
}

const RECALL = 'name: recall\ndescription: a later run\nsteps:\n  - { id: recall, type: agent, agent: clerk, task: "${{task}}" }\n'

async function enter(services: House, world: World, orders: Orders, way: Prepared): Promise<void> {
  const { name } = way
  if (way.first !== undefined) await ended(services, await started(services, way.first, "go"))
  for (const [key, text] of Object.entries(way.objects ?? {})) await services.send("PUT", `/v1/objects/${key}?untrusted=1`, text, PLAIN)
  const reference = way.reference && textOf(await services.send("POST", "/v1/references/leaflet?untrusted=1", way.reference), "id")
  orders.teach(way.attack, attack(orders, world, name))
  const run =
    way.enter?.(services) ?? (way.delivery ? delivered(services, way) : started(services, name, way.task?.(reference ?? "") ?? "go"))
  await ended(services, await run)
  // A later run, which has read nothing from outside by itself.
  const recall = orders.say([[{ tool: "memory.read", args: { namespace: leftMemory(name) } }]])
  await ended(services, await started(services, "recall", recall))
}

const PLAIN = { "content-type": "text/plain" }

const started = async (services: House, flow: string, task: string): Promise<string> =>
  textOf(await services.send("POST", `/v1/flows/${flow}/runs`, { task, autonomous: false }), "id")

async function delivered(services: House, { name, delivery }: Prepared): Promise<string> {
  if (!delivery) throw new Error("no delivery")
  const { mapping, body, type = "application/json", headers = {}, query = "" } = delivery
  const hook = await services.send("POST", "/v1/hooks", { flow: name, kind: "token", secret: "hook", mapping, autonomous: false })
  return services.deliver(textOf(hook, "url") + query, body, { "content-type": type, ...headers })
}

async function ended(services: House, run: string): Promise<void> {
  const until = Date.now() + PATIENCE_MS
  for (;;) {
    const { status, error } = Run.parse(await services.send("GET", `/v1/runs/${run}`))
    if (status === "succeeded") return
    if (status === "failed" || status === "canceled") throw new Error(`the run ${run} ${status}: ${JSON.stringify(error)}`)
    if (Date.now() > until) throw new Error(`the run ${run} is still ${status} after ${PATIENCE_MS / 1000} s`)
    await new Promise((wake) => setTimeout(wake, 50))
  }
}
