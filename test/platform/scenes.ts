// What runs under the platform's limits, and how large it is.

export const SIZES = {
  small: { fan: 50, map: 150, loop: 150, turns: 60, files: 990, bundle: 1_500 },
  full: { fan: 100, map: 10_000, loop: 2_000, turns: 500, files: 990, bundle: 4_900 },
} as const

export type Sizes = (typeof SIZES)[keyof typeof SIZES]

/** A name, a flow, and the body that starts it. */
export const scenes = ({ fan, map, loop, turns, files }: Sizes): readonly (readonly [string, string, object])[] => [
  [`a fan of ${fan}`, "fan", {}],
  [`a map over ${map} items`, "each", { inputs: { list: Array.from({ length: map }, (_, i) => i) } }],
  [`a loop of ${loop} steps`, "again", {}],
  [`a session of ${turns} turns`, "long", {}],
  [`a command that writes ${files} files`, "files", {}],
]

export const bundleOf = (files: number): object => ({
  agents: Object.fromEntries(
    Array.from({ length: files }, (_, i) => [
      `a${i}.md`,
      `---\nname: a${i}\ndescription: d\nmodel: loopback/m\ntools: write\n---\nDo ${i}.\n`,
    ]),
  ),
  flows: {},
})

export function catalog({ fan, loop, turns, files }: Sizes): object {
  const agent = (name: string, writes = 0): string =>
    `---\nname: ${name}\ndescription: ${name}\nmodel: loopback/writes-${writes}\ntools: write\nmax_turns: ${writes + 5}\n---\nDo it. \${{task}}\n`
  const flow = (name: string, steps: string, head = ""): string => `name: ${name}\ndescription: ${name}\n${head}steps:\n${steps}`
  return {
    agents: {
      "w.md": agent("w"),
      "writer.md": agent("writer", turns),
      "filer.md": agent("filer").replace("writes-0", `files-${files}`).replace("tools: write", "tools: write, bash"),
    },
    flows: {
      "fan.yaml": flow(
        "fan",
        Array.from({ length: fan }, (_, i) => `  - { id: s${i}, type: agent, agent: w }\n`).join(""),
        `max_concurrent: ${fan}\n`,
      ),
      "files.yaml": flow("files", "  - { id: s, type: agent, agent: filer }\n"),
      "one.yaml": flow("one", "  - { id: x, type: agent, agent: w }\n"),
      "each.yaml": flow(
        "each",
        '  - { id: m, type: map, over: "${{flow.input.list}}", do: one, max_concurrent: 50 }\n',
        "inputs: { list: { type: array, required: true } }\n",
      ),
      "again.yaml": flow(
        "again",
        `  - { id: a, type: agent, agent: w }\n  - { id: d, type: agent-loop-decision, agent: w, task: Again?, loop_target: a, exit_target: z, max_iterations: ${loop / 2} }\n  - { id: z, type: agent, agent: w }\n`,
      ),
      "long.yaml": flow("long", "  - { id: s, type: agent, agent: writer, timeout: 60m }\n"),
    },
  }
}
