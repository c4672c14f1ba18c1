// The flow under test, and its models' answers: parallel steps, a loop that goes back once, two decisions, a question to a
// person, several tool calls in most messages.
//
// An answer depends on the conversation alone, so a repeated turn gets the same answer. Everything that a run
// writes carries its case, the only difference between runs: with the case removed, all results must be equal.

export const FLOW = "crash"
/** A flow that only asks a question: no model call, so never an alarm. */
export const ASKING = "asking"
export const PROVIDER = "crash"

export interface Call {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

export interface Reply {
  readonly text: string
  readonly calls: readonly Call[]
}

/** What the model server read from a request. */
export interface Conversation {
  readonly system: string
  /** The step's task. */
  readonly user: string
  /** Number of messages from the model so far. */
  readonly turn: number
  /** Results of the last message's calls, in order. */
  readonly results: readonly string[]
}

const task = (step: string): string => `\${{task}} | ${step} | round \${{loop.check.iteration}}`

const agent = (name: string, tools: string, more = ""): string =>
  `---\nname: ${name}\ndescription: part of the crash test\nmodel: ${PROVIDER}/${name}\ntools: ${tools}\n${more}---\nDo what the message says.\n`

export const AGENTS = {
  "writer.md": agent("writer", "read, write, edit, grep, ls"),
  "reader.md": agent("reader", "read, write, edit, grep, find, ls"),
  "judge.md": agent("judge", "read"),
  "chooser.md": agent("chooser", "[]"),
  "reporter.md": agent(
    "reporter",
    "read, write, ls",
    "outputs:\n  - { name: verdict, type: string, required: true }\n  - { name: lines, type: number, required: true }\n",
  ),
}

export const FLOWS = {
  [`${FLOW}.yaml`]: `name: ${FLOW}
description: what the crash test kills
autonomous: false
max_concurrent: 3
outputs:
  verdict: \${{result.report.verdict}}
  lines: \${{result.report.lines}}
  choice: \${{fork.shape.answer}}
  notes: \${{fork.shape.notes}}
  built: \${{result.build.summary}}
steps:
  - { id: intake, type: agent, agent: writer, task: "${task("intake")}" }
  - { id: gate, type: conditional, check: intake, present: survey, absent: report }
  - { id: survey, type: agent, agent: writer, task: "${task("survey")}" }
  - { id: north, type: agent, agent: reader, blockedBy: survey, task: "${task("north")}" }
  - { id: east, type: agent, agent: reader, blockedBy: survey, task: "${task("east")}" }
  - { id: south, type: agent, agent: reader, blockedBy: survey, task: "${task("south")}" }
  - { id: build, type: agent, agent: writer, blockedBy: [north, east, south], task: "${task("build")}" }
  - { id: check, type: agent-loop-decision, agent: judge, task: "${task("check")}", loop_target: survey, exit_target: pick, max_iterations: 3 }
  - { id: pick, type: agent-decision, agent: chooser, branches: { deep: dig, quick: skim }, task: "${task("pick")}" }
  - { id: skim, type: agent, agent: writer, task: "${task("skim")}" }
  - { id: dig, type: agent, agent: writer, task: "${task("dig")}" }
  - id: shape
    type: fork
    question: "Which shape for \${{task}}, after \${{result.dig.summary}}?"
    options: [Short, Long]
    branches: { Short: short, Long: long }
  - { id: short, type: agent, agent: writer, task: "${task("short")}" }
  - { id: long, type: agent, agent: writer, task: "${task("long")}" }
  - { id: report, type: agent, agent: reporter, blockedBy: [short, long], task: "${task("report")}: \${{fork.shape.notes}}" }
`,
  [`${ASKING}.yaml`]: `name: ${ASKING}
description: waits for a person from its first step on
autonomous: false
steps:
  - { id: which, type: fork, question: Which one?, options: [One, Two], branches: { One: one, Two: two } }
  - { id: one, type: agent, agent: writer }
  - { id: two, type: agent, agent: writer }
`,
}

/** The person's answer at the fork. */
export const ANSWER = { answer: "Long", notes: "mind the gap" }

/** On this step's second turn in its first round, the first try is answered 503 [F33]. */
export const FLAKY = { step: "north", turn: 1, round: 0 }

export interface Place {
  readonly name: string
  readonly step: string
  readonly round: number
}

export function placeOf(user: string): Place | undefined {
  const found = /(case-[a-z0-9-]+) \| (\w+) \| round (\d+)/.exec(user)
  return found ? { name: found[1] ?? "", step: found[2] ?? "", round: Number(found[3]) } : undefined
}

const call = (name: string, args: Readonly<Record<string, unknown>>): Call => ({ name, args })
const finish = (summary: string, more: Readonly<Record<string, unknown>> = {}): Call =>
  call("finish", { status: "complete", summary, files: [], ...more })
const NEXT = "<!-- next -->"
/** Not idempotent: a second execution writes the line twice. */
const log = (line: string): Call => call("edit", { path: "log.md", oldText: NEXT, newText: `- ${line}\n${NEXT}` })
const linesIn = (text: string | undefined): number => text?.match(/^- /gm)?.length ?? -1

export function replyTo(c: Conversation): Reply {
  const place = placeOf(c.user)
  if (!place) return { text: "no case", calls: [finish("no case in the task", { status: "error" })] }
  const calls = turnsOf(place, c)[c.turn]
  return { text: `${place.step} ${c.turn}`, calls: calls ?? [finish("past its script", { status: "error" })] }
}

function turnsOf({ name, step, round }: Place, { results, user, system }: Conversation): readonly (readonly Call[])[] {
  const notes = (view: string): string => `notes/${view}/r${round}.md`
  switch (step) {
    case "intake":
      return [
        [
          call("write", { path: "brief.md", content: `# ${name}\ntopic: gaps\n` }),
          call("write", { path: "log.md", content: `# log of ${name}\n${NEXT}\n` }),
          // Changes run one after another: tens of milliseconds with a tool under way.
          ...[1, 2, 3, 4, 5, 6].map((n) => call("write", { path: `parts/${n}.md`, content: `${n} of ${name}\n`.repeat(200 * n) })),
        ],
        [call("read", { path: "brief.md" }), call("ls", {}), call("grep", { pattern: "topic", path: "brief.md" })],
        [finish(`${name} taken in: ${results.join("; ")}`, { artifacts: "brief.md" })],
      ]
    case "survey":
      return [[call("grep", { pattern: "topic", path: "brief.md" })], [finish(`surveyed: ${results.join("; ")}`)]]
    case "north":
    case "east":
    case "south":
      return [
        [
          call("write", { path: notes(step), content: `# ${step} of ${name}, round ${round}\nseen: ${step}\nEND\n` }),
          call("ls", { path: `notes/${step}` }),
        ],
        [
          call("read", { path: notes(step) }),
          call("grep", { pattern: "seen", path: `notes/${step}` }),
          call("find", { pattern: "*.md", path: `notes/${step}` }),
        ],
        [call("edit", { path: notes(step), oldText: "END", newText: "more\nEND" }), finish(`${step}: ${results.join("; ")}`)],
      ]
    case "build":
      return [
        ["north", "east", "south"].map((view) => call("read", { path: notes(view) })),
        [
          log(`built in round ${round}`),
          call("write", { path: "draft.md", content: `# draft ${round}\n${results.join("")}OPEN\n` }),
          call("edit", { path: "draft.md", oldText: "OPEN", newText: "CLOSED" }),
        ],
        [call("read", { path: "log.md" })],
        [finish(`built with ${linesIn(results[0])} lines in the log`)],
      ]
    case "check":
      return [[call("read", { path: "draft.md" })], [finish("looked", { branch: / 1 of 3/.test(user) ? "loop" : "exit" })]]
    case "pick":
      return [[finish("chose", { branch: "deep" })]]
    case "dig":
      return [[call("write", { path: "dig.md", content: `dug for ${name}\n` }), call("read", { path: "draft.md" })], [finish("dug")]]
    case "long":
      return [
        [log("long"), call("write", { path: "long.md", content: system.includes(ANSWER.notes) ? "as noted\n" : "without notes\n" })],
        [finish("long it is")],
      ]
    case "report":
      return [
        [call("ls", {}), call("read", { path: "log.md" }), call("read", { path: "long.md" })],
        [call("write", { path: "report.md", content: `# report of ${name}\n${results.join("\n")}` })],
        [call("read", { path: "report.md" })],
        [finish(`reported ${name}`, { verdict: `done: ${user.split(": ").at(-1) ?? ""}`, lines: linesIn(results[0]) })],
      ]
    default:
      return [[finish(`${step} was not to run`, { status: "error" })]]
  }
}
