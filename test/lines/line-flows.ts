// Flows with a `start` block for the measures of the line, without a model.

const flow = (name: string, start: string, step: string): string =>
  `name: ${name}\ndescription: stands in line\ninputs: { key: { type: string }, value: { type: string }, items: { type: array } }\n${start === "" ? "" : `start: ${start}\n`}steps:\n  - { id: a, ${step} }\n`
const KEY = 'key: "${{flow.input.key}}"'
const SHORT = "type: wait, for: 5ms"

export const FLOWS: Readonly<Record<string, string>> = {
  "leaf.yaml": flow("leaf", "", SHORT),
  "one.yaml": flow("one", `{ concurrency: { ${KEY}, pool: ones } }`, SHORT),
  /** Holds its key until its child is over. */
  "three.yaml": flow("three", `{ concurrency: { ${KEY}, limit: 3 } }`, 'type: flow-ref, flow: leaf, task: "${{task}}"'),
  "newest.yaml": flow("newest", `{ concurrency: { ${KEY}, overlap: supersede } }`, 'type: flow-ref, flow: leaf, task: "${{task}}"'),
  /** Its run is at work until it is ended. */
  "longer.yaml": flow("longer", `{ concurrency: { ${KEY}, overlap: supersede } }`, 'type: flow-ref, flow: slow, task: "${{task}}"'),
  "slow.yaml": flow("slow", "", "type: wait, for: 1h"),
  "soon.yaml": flow("soon", `{ concurrency: { ${KEY} }, expires: 2s }`, "type: wait, for: 300ms"),
  "gathered.yaml": flow("gathered", `{ debounce: { ${KEY}, period: 1s }, concurrency: { ${KEY} } }`, SHORT),
  "all.yaml": flow("all", `{ batch: { ${KEY}, size: 50, timeout: 10m, into: items } }`, SHORT),
  /** Its children stand in line. */
  "map-one.yaml": flow(
    "map-one",
    "",
    'type: map, over: "${{flow.input.items}}", do: one, max_concurrent: 10, inputs: { key: "${{item}}" }',
  ),
  "map-three.yaml": flow(
    "map-three",
    "",
    'type: map, over: "${{flow.input.items}}", do: three, max_concurrent: 10, inputs: { key: "${{item}}" }',
  ),
}
