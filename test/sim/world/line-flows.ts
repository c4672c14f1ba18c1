// Flows with a `start` block: keys, windows and rates, for those people who stand in line.

/** `turn` and `lone` share keys in a pool: of each, so many runs at once. */
export const POOL = "turns"
/** [R1] `paced`: at most so many runs of a key begin within so many ms. */
export const RATE = { limit: 3, period: 20_000 } as const

const of = (name: string, inputs: string, start: string, ...steps: readonly string[]): string =>
  `name: ${name}\ndescription: stands in line\nautonomous: false\ninputs: { key: { type: string, required: true }${inputs} }\nstart:\n${start}steps:\n${steps.map((it) => `  - { ${it} }\n`).join("")}`
const work = (id: string): string => `id: ${id}, type: agent, agent: worker, task: "\${{task}} at ${id}"`
const KEY = 'key: "${{flow.input.key}}"'

export const LINE_FLOWS = {
  /** One run of a key at a time, and the others wait. */
  "turn.yaml": of("turn", "", `  concurrency: { ${KEY}, pool: ${POOL} }\n`, work("a"), `${work("b")}, blockedBy: a`),
  /** Of the same keys; who finds one taken is refused. */
  "lone.yaml": of("lone", "", `  concurrency: { ${KEY}, pool: ${POOL}, overlap: skip }\n`, work("a")),
  /** Two of a key at a time, with children below, and few in a period. */
  "paced.yaml": of(
    "paced",
    "",
    `  concurrency: { ${KEY}, limit: 2 }\n  throttle: { ${KEY}, limit: ${RATE.limit}, period: ${RATE.period / 1_000}s }\n  expires: 10m\n`,
    'id: r, type: flow-ref, flow: chain, task: "${{task}}"',
  ),
  /** Its child stands in line. */
  "via.yaml": of(
    "via",
    "",
    "  priority: low\n",
    'id: r, type: flow-ref, flow: turn, task: "${{task}}", inputs: { key: "${{flow.input.key}}" }',
  ),
  /** The newest start of a key is the run, and ends an older one. */
  "last.yaml": of(
    "last",
    "",
    `  debounce: { ${KEY}, period: 5s, timeout: 20s }\n  concurrency: { ${KEY}, overlap: supersede }\n`,
    work("a"),
    `${work("b")}, blockedBy: a`,
  ),
  /** Gathers items. */
  "lot.yaml": of("lot", ", items: { type: array, required: true }", `  batch: { ${KEY}, size: 3, timeout: 15s, into: items }\n`, work("a")),
} as const
