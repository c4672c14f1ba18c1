// The client's contract: one suite for every runtime, so it is JavaScript without a module of any of them. It is given the package's exports, a
// server and a key, and answers what failed; the tenant has the project below.

export const PROJECT = {
  agents: { "a.md": "---\nname: a\ndescription: d\nmodel: rehearsal/default\ntools: write\n---\nDo it. ${{task}}\n" },
  flows: {
    "quick.yaml": "name: quick\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: a }\n",
    "quick.rehearsal.yaml": "steps:\n  a:\n    - finish: { status: complete, summary: done }\n",
    "long.yaml": "name: long\ndescription: d\nsteps:\n  - { id: a, type: wait, for: 10m }\n",
    "asking.yaml":
      "name: asking\ndescription: d\nsteps:\n  - { id: which, type: fork, question: Which?, options: [Left, Right], branches: { Left: left, Right: right } }\n  - { id: left, type: wait, for: 1ms }\n  - { id: right, type: wait, for: 1ms }\n",
  },
  skills: { "s/SKILL.md": "---\nname: s\ndescription: d\n---\nRead more.md.\n", "s/more.md": "行 é 🙂\r\nb\n" },
  code: {},
}

/** [what, act] of each case; `act` throws what is wrong. */
const cases = ({ Sluice, SluiceError, Paged }, { url, key }) => {
  const client = new Sluice({ url, key })
  const quick = { task: "go", rehearse: true }
  const through = (fetch, more = {}) => new Sluice({ url, key, fetch, ...more })
  const ended = async (events) => {
    const seen = []
    for await (const event of events) seen.push(event)
    same(seen.at(-1)?.type, "run.ended")
    same(
      seen.map(({ seq }) => seq),
      seen.map((_, i) => i + 1),
    )
    return seen
  }
  return [
    [
      "a project is applied, and its texts come back as they were",
      async () => {
        await client.catalog.replace(PROJECT)
        same(await client.catalog.read("skill", "s/more.md"), PROJECT.skills["s/more.md"])
        const { flows, skills } = await client.catalog.export()
        same([sorted(flows), sorted(skills)], [sorted(PROJECT.flows), sorted(PROJECT.skills)])
      },
    ],
    [
      "a run's events come from the first to the last, each once, and its result after them",
      async () => {
        const run = client.flows.run("quick", quick)
        const events = await ended(run)
        same(events[0].type, "run.started")
        const view = await run.result()
        same([view.id, view.status], [await run.id, "succeeded"])
        same((await client.runs.journal(view.id)).length, events.length)
      },
    ],
    [
      "a stream that is cut off goes on after the last event",
      async () => {
        const { id } = await client.flows.start("quick", quick)
        await client.flows.run("quick", quick).result()
        let cuts = 0
        const cutting = through(async (to, init) => {
          const answer = await fetch(to, init)
          if (!to.includes("/events") || cuts >= 3) return answer
          cuts++
          const reader = answer.body.getReader()
          const { value } = await reader.read()
          return new Response(
            new ReadableStream({
              start(out) {
                out.enqueue((value ?? new Uint8Array()).slice(0, 300 * cuts))
                out.close()
                reader.cancel().catch(() => undefined)
              },
            }),
            { status: 200, headers: answer.headers },
          )
        })
        await ended(cutting.runs.events(id))
        same(cuts, 3)
      },
    ],
    [
      "a WebSocket tells the same events",
      async () => {
        if (typeof WebSocket === "undefined") return
        const { id } = await client.flows.start("quick", quick)
        await ended(client.runs.socket(id))
      },
    ],
    [
      "a question waits for its answer",
      async () => {
        const { id } = await client.flows.start("asking", {})
        const events = client.runs.events(id)
        let asked
        for await (const event of events) if (event.type === "interaction.asked") break
        for (let tries = 0; asked === undefined && tries < 200; tries++) [asked] = await client.runs.interactions(id, "pending").all()
        same(asked?.payload?.question ?? asked?.question, "Which?")
        await client.interactions.answer(id, asked.id, { answer: "Right" })
        await ended(client.runs.events(id))
        const { steps } = await client.runs.get(id)
        same(JSON.stringify(steps).includes("right"), true)
      },
    ],
    [
      "two starts with one key are one run",
      async () => {
        const once = { idempotencyKey: crypto.randomUUID() }
        const [a, b] = await Promise.all([client.flows.start("quick", quick, once), client.flows.start("quick", quick, once)])
        same(a.id, b.id)
      },
    ],
    [
      "a start whose answer is lost is sent again and is one run",
      async () => {
        let lost
        const losing = through(async (to, init) => {
          const answer = await fetch(to, init)
          if (lost !== undefined || init.method !== "POST") return answer
          lost = (await answer.json()).id
          throw new TypeError("the connection was lost")
        })
        same((await losing.flows.start("quick", quick)).id, lost)
      },
    ],
    [
      "a server that asks to wait is asked again",
      async () => {
        let busy = 0
        const waiting = through((to, init) =>
          busy++ < 2 ? Promise.resolve(new Response("{}", { status: 503, headers: { "retry-after": "0" } })) : fetch(to, init),
        )
        same((await waiting.flows.start("quick", quick)).status !== undefined, true)
        same(busy, 3)
      },
    ],
    [
      "lists have pages, and all of them are each row once",
      async () => {
        const tag = `p${crypto.randomUUID().slice(0, 8)}`
        const started = []
        for (let n = 0; n < 5; n++) started.push((await client.flows.start("quick", { ...quick, tags: [tag] })).id)
        const list = client.runs.list({ tag, limit: 2 })
        same(list instanceof Paged, true)
        same((await list.page()).data.length, 2)
        const ids = []
        for await (const { id } of client.runs.list({ tag, limit: 2 })) ids.push(id)
        same([ids.length, new Set(ids).size, ids.every((id) => started.includes(id))], [5, 5, true])
      },
    ],
    [
      "a refusal has its status, code and places",
      async () => {
        const error = await refused(client.catalog.put("flow", "bad", "name: bad\nstpes: []\n"))
        same([error instanceof SluiceError, error instanceof Error, error.status, error.code], [true, true, 422, "not_written"])
        same(error.errors.length > 0, true)
        same((await refused(client.runs.get("run_none"))).status, 404)
        // A key of no tenant allows no page to read the answer.
        const unknown = await refused(new Sluice({ url, key: "sl_wrong", retries: 0 }).catalog.list())
        same(unknown.status, typeof document === "undefined" ? 401 : 0)
      },
    ],
    [
      "a run is canceled, and its events end",
      async () => {
        const run = client.flows.run("long", { task: "go" })
        await client.runs.cancel(await run.id)
        same((await run.result()).status, "canceled")
      },
    ],
    [
      "an iteration that is aborted ends",
      async () => {
        const { id } = await client.flows.start("long", { task: "go" })
        const stop = new AbortController()
        const error = await refused(
          (async () => {
            for await (const _ of client.runs.events(id, { signal: stop.signal })) stop.abort()
          })(),
        )
        same(error.name, "AbortError")
        await client.runs.cancel(id)
      },
    ],
    [
      "bytes and names of files are as they were",
      async () => {
        const bytes = Uint8Array.from({ length: 3_000 }, (_, i) => (i * 7) % 256)
        const base64 = btoa(String.fromCharCode(...bytes))
        const files = { "in/ü b.bin": { base64 }, "t.txt": "行 🙂\r\n" }
        const view = await client.flows.wait("quick", { ...quick, files }, 60)
        same([...(await client.runs.file(view.id, "in/ü b.bin"))], [...bytes])
        same(new TextDecoder().decode(await client.runs.file(view.id, "t.txt")), files["t.txt"])
      },
    ],
    [
      "the tenant's stream tells of a run",
      async () => {
        const stop = new AbortController()
        const { promise, resolve } = withResolvers()
        const heard = client.listen({ signal: stop.signal, onLine: ({ state }) => state === "open" && resolve() })
        const first = heard.next()
        await promise
        await client.flows.start("quick", quick)
        same((await first).done, false)
        stop.abort()
        await heard.return?.(undefined).catch(() => undefined)
      },
    ],
  ]
}

function withResolvers() {
  let resolve
  return { promise: new Promise((done) => (resolve = done)), resolve }
}

const sorted = (files) => Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1))

function same(found, wanted) {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)]
  if (a !== b) throw new Error(`${String(a).slice(0, 400)}, not ${String(b).slice(0, 400)}`)
}

async function refused(asked) {
  try {
    await asked
  } catch (error) {
    return error
  }
  throw new Error("it was not refused")
}

/** For what hangs and nothing else. */
const PATIENCE_MS = 60_000

/** [[what, fault or null], …] */
export async function contract(exports, at) {
  const results = []
  for (const [what, act] of cases(exports, at)) {
    let timer
    const late = new Promise((_, fail) => {
      timer = setTimeout(() => fail(new Error(`takes longer than ${PATIENCE_MS / 1000} s`)), PATIENCE_MS)
    })
    const fault = await Promise.race([act(), late]).then(
      () => null,
      (error) => (error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error)),
    )
    clearTimeout(timer)
    results.push([what, fault])
  }
  return results
}
