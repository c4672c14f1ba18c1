// The flows of the soak, which ask no provider: files small and large, a family, a sticky session, and effects that wait for a person.

const flow = (name: string, steps: string): string => `name: ${name}\ndescription: comes and goes\nsteps:\n${steps}`
const agent = "  - { id: a, type: agent, agent: worker }\n"
const call = (tool: string, args: object): string => `      - calls: [{ tool: ${tool}, args: ${JSON.stringify(args)} }]\n`
const script = (...turns: string[]): string =>
  `steps:\n  a:\n${turns.join("").replaceAll("      - ", "    - ")}    - finish: { status: complete, summary: done }\n`
/** Bodies of more than 64 KiB are in R2. */
const LARGE = "a line of a large file\n".repeat(5_000)

export const FLOWS = ["files", "large", "family", "talk", "staged"] as const

export const CATALOG = {
  agents: {
    "worker.md":
      "---\nname: worker\ndescription: works\nmodel: rehearsal/default\ntools: read, write, ls, media.send\n---\nDo it. ${{task}}\n",
  },
  flows: {
    "files.yaml": flow("files", agent),
    "files.rehearsal.yaml": script(call("write", { path: "a.md", content: "short\n" }), call("read", { path: "a.md" })),
    "large.yaml": flow("large", agent),
    "large.rehearsal.yaml": script(call("write", { path: "large.md", content: LARGE }), call("read", { path: "large.md" })),
    "family.yaml": flow("family", `  - { id: r, type: flow-ref, flow: files, task: below }\n${agent}`),
    "family.rehearsal.yaml": script(call("ls", {})),
    "talk.yaml": flow("talk", '  - { id: a, type: agent, agent: worker, session: "soak" }\n'),
    "talk.rehearsal.yaml": script(call("ls", {})),
    "staged.yaml": flow("staged", agent),
    "staged.rehearsal.yaml": script(call("write", { path: "b.md", content: "kept\n" })),
  },
  skills: {},
}
