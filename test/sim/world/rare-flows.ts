// Flows of a simulated tenant that only those people start who wait for what is rare in them.

const of = (name: string, ...steps: readonly string[]): string =>
  `name: ${name}\ndescription: rare\nautonomous: false\nsteps:\n${steps.map((it) => `  - { ${it} }\n`).join("")}`
const agent = (id: string, by: string): string => `id: ${id}, type: agent, agent: ${by}, task: "\${{task}} at ${id}"`

export const RARE_FLOWS = {
  /** More children ask at once than their parent has room for [P5]. */
  "crowded.yaml": of(
    "crowded",
    agent("l", "crowd"),
    'id: each, type: map, over: "${{result.l.list}}", do: quiz, blockedBy: l, max_concurrent: 25',
  ),
  /** A child whose effects its parent carries out [K32]. */
  "family.yaml": of("family", 'id: r, type: flow-ref, flow: slow, task: "${{task}}"'),
  /** One step asks a person while the provider of another one is busy [F33]. */
  "both.yaml": of("both", agent("p", "quizzer"), agent("q", "flaky"), agent("s", "flaky")),
  /** Nothing of it leaves the run's object. */
  "house.yaml": of("house", agent("a", "houser"), `${agent("b", "houser")}, blockedBy: a`),
  /** Two steps use a tool of the project at the same time. */
  "orders.yaml": of("orders", agent("a", "orderer"), agent("b", "orderer")),
} as const
