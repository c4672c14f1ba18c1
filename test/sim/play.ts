// Plays one seed: a storm in which anything may go wrong, then a calm in which everything must come to rest.

import { createHash } from "node:crypto"
import { tidy } from "./garbage.ts"
import { Story, type World } from "./people/story.ts"
import { Laws } from "./laws/laws.ts"
import { Endless } from "./laws/spins.ts"
import { Dice } from "./platform/dice.ts"
import type { Happened } from "./platform/faults.ts"
import type { Code } from "./platform/machines.ts"
import { Service } from "./platform/service.ts"
import type { Coming } from "./platform/timeline.ts"
import { themeOf } from "./themes.ts"
import { Models, MODELS_HOST } from "./world/models.ts"
import { COLLECTOR_HOST, RECEIVER_HOST, Services, TOOLS_HOST } from "./world/services.ts"

/** A turn of the process's event loop; taken before anything replaces the timers. */
const { setImmediate: later } = globalThis
const STORM_MS = 420_000
/** Calm until here: a run that has not come to rest by then never will. */
const CALM_MS = 3_600_000

/** So many seeds have a collector of traces. */
const COLLECTED = 0.3

/** After the last answer of a person: what is left has its time. */
const REST_MS = 900_000

export interface Played {
  readonly seed: number
  readonly findings: readonly string[]
  /** Faults that happened, in order. */
  readonly happened: readonly Happened[]
  readonly switched: readonly string[]
  readonly events: number
  readonly runs: number
  /** SHA-256 of all journals. */
  readonly journals: string
}

export interface PlayOptions {
  readonly code: Code
  readonly seed: number
  readonly runs?: number
  readonly without?: readonly Happened[]
  readonly only?: readonly Happened[] | undefined
  readonly watch?: (event: Coming) => void
  readonly fault?: (fault: Happened) => void
  readonly finding?: (finding: string) => void
  /** Looks at everything at rest. */
  readonly look?: (stories: readonly Story[]) => Promise<void>
}

export async function play({ code, seed, runs = 12, without = [], only, watch, fault, finding, look }: PlayOptions): Promise<Played> {
  const dice = new Dice(seed)
  const theme = themeOf(dice)
  const service: Service = new Service({
    dice,
    code,
    rates: theme?.rates,
    collector: dice.chance("collector", COLLECTED) ? `http://${COLLECTOR_HOST}` : undefined,
    hosts: new Map([
      [
        MODELS_HOST,
        (asked) => {
          const before = models.calls.length
          const told = models.host(asked)
          laws.asked(models, before)
          return told
        },
      ],
      [
        TOOLS_HOST,
        (asked) => {
          laws.called(asked)
          return services.tools(asked)
        },
      ],
      [RECEIVER_HOST, (asked) => services.receiver(asked)],
      [COLLECTOR_HOST, (asked) => services.collector(asked)],
    ]),
    without,
    only,
    wrote: (objects) => laws.wrote(objects),
    committed: (object) => laws.committed(object),
    wroteTable: (object, table) => laws.wroteTable(object, table),
    answers: (object, room) => laws.answers(object, room),
    watch: (event) => {
      watch?.(event)
      laws.happens(event)
    },
    ...(fault ? { fault } : {}),
    ...(finding ? { finding } : {}),
  })
  const laws = new Laws(service, runs)
  const now = (): number => service.timeline.now
  const models = new Models(now)
  const services = new Services(now, () => service.faults.of("server error"))
  const world: World = { service, models, services, theme }
  const stories = [new Story(world, "acme"), new Story(world, "bolt")]
  try {
    await course({ world, stories, laws, runs, look })
  } catch (e) {
    if (!(e instanceof Endless)) throw e
  }
  const journals = createHash("sha256")
  let count = 0
  for (const object of [...service.runs.objects.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (!object.storage.tables().includes("entry")) continue
    count++
    for (const row of object.storage.rows<{ last: number; events: string }>("SELECT last, events FROM entry ORDER BY last"))
      journals.update(`${object.name} ${row.last} ${String(row.events)}\n`)
  }
  service.close()
  tidy()
  return {
    seed,
    findings: service.findings,
    happened: service.faults.happened,
    switched: [...(theme ? [theme.name] : []), ...service.faults.on],
    events: service.timeline.count,
    runs: count,
    journals: journals.digest("hex"),
  }
}

interface Course {
  readonly look: PlayOptions["look"] | undefined
  readonly world: World
  readonly stories: readonly Story[]
  readonly laws: Laws
  readonly runs: number
}

/** The storm, the calm, and a look at everything at rest. */
async function course({ world: { service, services, theme }, stories, laws, runs, look }: Course): Promise<void> {
  service.faults.isCalm = true
  await over(service, Promise.all(stories.map((it) => it.begin())))
  service.faults.isCalm = false
  for (const story of stories) story.play(Math.ceil(runs / stories.length / (theme ? 2 : 1)))
  const calm = service.timeline.now + STORM_MS
  await service.until(calm)
  service.calm()
  services.calmFrom = service.timeline.now
  for (const story of stories) story.isCalm = true
  const end = calm + CALM_MS
  const rested = Promise.all(stories.map((it) => it.done()))
  await over(service, rested, end)
  await service.until(service.timeline.now + REST_MS)
  for (const story of stories) {
    for (const what of story.atWork) service.found(`${story.tenant}: ${what} never came to its end`)
    for (const looked of [laws.atRest(story), story.rest()]) {
      await over(service, looked, end + CALM_MS)
      const failed = looked.catch((e: unknown) => [`the laws could not be looked at: ${String(e)}`])
      for (const it of await Promise.race([
        failed,
        new Promise<string[]>((resolve) => void later(() => resolve(["the laws never came to an end"]))),
      ]))
        service.found(`${story.tenant}: ${it}`)
    }
  }
  if (look) await over(service, look(stories))
}

/** Plays on until this has happened. */
async function over(service: Service, what: Promise<unknown>, at = Number.POSITIVE_INFINITY): Promise<void> {
  let isOver = false
  const end = (): void => void (isOver = true)
  what.then(end, end)
  while (!isOver && (service.timeline.next ?? Number.POSITIVE_INFINITY) <= at) await service.timeline.step()
  if (at === Number.POSITIVE_INFINITY) await what
}
