// The measured flows and their scripted model: it finishes at once, so the measured time is Sluice's own.

const AGENTS: Readonly<Record<string, string>> = {
  // Agents that only have `finish`.
  "bench-worker.md": agent("bench-worker", "bench/work"),
  "bench-chooser.md": agent("bench-chooser", "bench/choose"),
  "bench-writer.md": agent("bench-writer", "bench/write", "write"),
  "bench-author.md": agent("bench-author", "bench/long", "write"),
}

function agent(name: string, model: string, tools = ""): string {
  return `---\nname: ${name}\ndescription: Finishes at once.\nmodel: ${model}\ntools: [${tools}]\n---\nDo it: \${{task}}\n`
}

/** The length and number of the long flow's writes: a journal of 5 MB. */
export const LONG_WRITE = 200_000
export const LONG_WRITES = 13

export const PROVIDER = {
  kind: "scripted",
  turns: {
    "*": [{ finish: { status: "complete", summary: "ok", files: [] } }],
    long: [
      { calls: [{ tool: "write", args: { path: "long.txt", content: "x".repeat(LONG_WRITE) } }] },
      { finish: { status: "complete", summary: "ok", files: [] } },
    ],
    write: [
      { calls: [{ tool: "write", args: { path: "notes.md", content: "A line of notes.\n" } }] },
      { finish: { status: "complete", summary: "ok", files: [] } },
    ],
    choose: [{ finish: { status: "complete", summary: "ok", files: [], branch: "on" } }],
  },
} as const

/** The same model, but every turn takes this long, like a real model's. */
export const slowProvider = (ms: number): object => ({
  kind: "scripted",
  turns: { "*": [{ delay: `${ms}ms`, finish: { status: "complete", summary: "ok", files: [] } }] },
})

const step = (i: number): string => `s${String(i).padStart(3, "0")}`

/** `length` agents, each blocked by the previous one: one segment. */
export function chain(length: number): string {
  const steps = range(length).map(
    (i) => `  - id: ${step(i)}\n    agent: bench-worker\n    task: step ${i}\n${i > 1 ? `    blockedBy: [${step(i - 1)}]\n` : ""}`,
  )
  return flow(`bench-chain-${length}`, steps)
}

/** Like a chain, but each agent writes a file before it finishes. */
export const files = (length: number): string =>
  chain(length).replace("bench-chain", "bench-files").replaceAll("agent: bench-worker", "agent: bench-writer")

/** Few events with long contents. */
export const long = (): string =>
  chain(LONG_WRITES)
    .replace(/bench-chain-\d+/, "bench-long")
    .replaceAll("agent: bench-worker", "agent: bench-author")

const HANDLER = 'export default () => ({ state: "complete", note: "ok" })\n'

/** Like a chain, but each step is a handler in an isolate. */
export const codeChain = (length: number): string =>
  flow(
    `bench-code-${length}`,
    range(length).map((i) => `  - { id: ${step(i)}, type: code, outputs: [state, note]${i > 1 ? `, blockedBy: [${step(i - 1)}]` : ""} }\n`),
  )

/** The handlers of a chain of code steps, for PUT /v1/catalog: one per step, all alike. */
export const handlers = (length: number): Readonly<Record<string, string>> =>
  Object.fromEntries(range(length).map((i) => [`bench-code-${length}/${step(i)}.ts`, HANDLER]))

// A file may have 2,000 keys, so long flows leave out defaults.

/** `length` steps, each its own segment: decisions whose branch leads to the next step, and an agent at the end. */
export function segments(length: number): string {
  const steps = range(length).map((i) =>
    i === length
      ? `  - id: ${step(i)}\n    agent: bench-worker\n`
      : `  - id: ${step(i)}\n    agent: bench-chooser\n    branches: { on: ${step(i + 1)}, off: ${step(length)} }\n`,
  )
  return flow(`bench-segments-${length}`, steps)
}

/** `width` parallel agents and one that waits for all of them. */
export function fan(width: number): string {
  const side = range(width).map((i) => `  - id: ${step(i)}\n    agent: bench-worker\n    task: step ${i}\n`)
  const join = `  - id: join\n    agent: bench-worker\n    task: join\n    blockedBy: [${range(width).map(step).join(", ")}]\n`
  return flow(`bench-fan-${width}`, [...side, join], `max_concurrent: ${width}\n`)
}

/** One child run of a single step per item of the input `list`, 20 at once. */
export const MAP =
  'name: bench-map\ndescription: A benchmark.\ninputs: { list: { type: array, required: true } }\nsteps:\n  - { id: each, type: map, over: "${{flow.input.list}}", do: bench-one, max_concurrent: 20, task: "${{item.n}}" }\n'
export const ONE = "name: bench-one\ndescription: A benchmark.\nsteps:\n  - { id: only, type: agent, agent: bench-worker }\n"

function flow(name: string, steps: readonly string[], head = ""): string {
  return `name: ${name}\ndescription: A benchmark.\n${head}steps:\n${steps.join("")}`
}

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1)

/** A catalog of these flows, for PUT /v1/catalog. */
export function catalog(flows: readonly string[]): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const named = flows.map((text) => [`${/^name: (.*)$/m.exec(text)?.[1] ?? ""}.yaml`, text] as const)
  const code = flows.flatMap((text) => Object.entries(handlers(Number(/^name: bench-code-(\d+)$/m.exec(text)?.[1] ?? 0))))
  return { agents: AGENTS, flows: Object.fromEntries(named), skills: {}, code: Object.fromEntries(code) }
}
