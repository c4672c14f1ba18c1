// Does one thing with many runs [R46]: counts them first, and asks. In a pipe nobody can agree, so `--yes` says it.

import type { BulkWish } from "../../src/api/run/bulk.ts"
import type { BulkAction } from "../../src/core/run/bulk-act.ts"
import { EFFECTS_MODES } from "../../src/core/tool/policy/effects-modes.ts"
import { defined } from "../../src/core/defined.ts"
import { plain } from "../../local/show-run.ts"
import type { Command, GivenOptions, Option, Words } from "../command.ts"
import type { Context } from "../context.ts"
import { EXIT } from "../exit.ts"
import { FOUND_BY, foundBy } from "../found-by.ts"
import { usage } from "../program.ts"

const EFFECTS: Option = { flags: "--effects <mode>", says: "what happens to calls that change something outside", choices: EFFECTS_MODES }

interface Act {
  readonly says: string
  readonly done: string
  readonly options?: readonly Option[]
  readonly examples: readonly string[]
}

const ACTS: Readonly<Record<BulkAction, Act>> = {
  cancel: {
    says: "cancel many runs",
    done: "Cancel",
    examples: ["bulk cancel --flow 'support:*' --status running --check", "bulk cancel --tag nightly --yes"],
  },
  again: {
    says: "run many runs again from the beginning, with the current definitions",
    done: "Run again",
    options: [EFFECTS],
    examples: ["bulk again --flow triage --status failed --since 7d", "bulk again run_01… run_02… --yes"],
  },
  fork: {
    says: "fork many runs, each at one step",
    done: "Fork",
    options: [
      { flags: "--from <step>", says: "the step; `failed`: the one that failed the run; the beginning by default" },
      { flags: "--revision <n>", says: "with the definitions of this catalog revision; by default, with each run's own" },
      EFFECTS,
    ],
    examples: ["bulk fork --status failed --from failed --revision 12 --check"],
  },
  delete: {
    says: "delete many runs that are over",
    done: "Delete",
    examples: ["bulk delete --flow trial --until 30d --check"],
  },
}

const act = (action: BulkAction): Command => {
  const { says, done, options = [], examples } = ACTS[action]
  return {
    name: `bulk ${action}`,
    ...(action === "cancel" ? { group: "one act on many runs" } : {}),
    says,
    words: ["[runs...]"],
    options: [
      ...FOUND_BY,
      ...options,
      { flags: "--most <n>", says: "the most runs that may match; 1,000 by default" },
      { flags: "--check", says: "show how many runs match; change nothing" },
      { flags: "-y, --yes", says: "do not ask" },
    ],
    examples,
    async run(context, words, given) {
      const wish = wishOf(action, words, given)
      const { bulk } = await context.client()
      const isSure = given.flag("yes")
      if (given.flag("check") || !isSure) {
        const found = await bulk.check(wish)
        const { live, staged, dry } = found.effects
        const more = found.complete ? "" : " or more"
        const lines = [
          `${found.count}${more} runs match: ${live} live, ${staged} staged (calls are held), ${dry} dry (calls are simulated)`,
        ]
        if (given.flag("check")) {
          context.show(found, () => lines)
          return EXIT.ok
        }
        if (!context.isTerminal) throw usage(`${lines.join("")}. Nobody can be asked here: --yes goes on, --check only counts`)
        for (const line of lines) context.line(line)
        if (found.count === 0 || !(await agreed(`${done} ${found.count} runs?`))) {
          context.line("nothing was changed")
          return EXIT.ok
        }
      }
      const begun = await bulk.start(wish)
      context.show(begun, () => [begun.id, `${begun.count} runs; sluice bulk show ${begun.id}`])
      return EXIT.ok
    },
  }
}

function wishOf(action: BulkAction, words: Words, given: GivenOptions): BulkWish {
  const { status, ...filter } = foundBy(given)
  const asked = { ...filter, ...defined({ status: typeof status === "object" ? status.join(",") : status }) }
  const runs = words.list(0)
  if (runs.length > 0 && Object.keys(asked).length > 0) throw usage("give either runs or options that find them")
  if (runs.length === 0 && Object.keys(asked).length === 0)
    throw usage("say which runs: by their ids, or by options such as --status failed")
  const effects = EFFECTS_MODES.find((mode) => mode === given.text("effects"))
  const from = given.text("from")
  const revision = given.number("revision")
  return {
    action,
    ...(runs.length > 0 ? { runs: [...runs] } : { filter: asked }),
    ...defined({ most: given.number("most", 1) }),
    ...(action === "again" && effects !== undefined ? { again: { effects } } : {}),
    ...(action === "fork"
      ? {
          fork: {
            ...(from === undefined ? {} : { from: from === "failed" ? ("failed" as const) : { step: from } }),
            ...(revision === undefined ? {} : { patch: { revision } }),
            ...defined({ effects }),
          },
        }
      : {}),
  }
}

async function agreed(message: string): Promise<boolean> {
  const { confirm } = await import("@clack/prompts")
  return (await confirm({ message, initialValue: false })) === true
}

const list: Command = {
  name: "bulk list",
  says: "list bulk operations, newest first",
  examples: ["bulk list"],
  async run(context) {
    const data = await (await context.client()).bulk.list().all()
    context.show({ data }, () => (data.length === 0 ? ["no bulks"] : data.map(line)))
    return EXIT.ok
  },
}

const show: Command = {
  name: "bulk show",
  says: "show how far a bulk operation is, and which runs it skipped",
  words: ["<bulk>"],
  examples: ["bulk show bulk_01…", "bulk show bulk_01… --json | jq .failed"],
  async run(context, words) {
    const { bulk } = await context.client()
    const row = await bulk.get(words.text(0))
    if (context.isJson) context.json(row)
    else await rest(context, row.id, line(row), bulk.items(row.id, ["failed", "skipped"]))
    return EXIT.ok
  },
}

const SHOWN = 20

async function rest(
  context: Context,
  id: string,
  head: string,
  items: AsyncIterable<{ readonly run: string; readonly outcome: string; readonly reason?: string }>,
): Promise<void> {
  context.line(head)
  let shown = 0
  for await (const { run, outcome, reason = "" } of items) {
    if (shown++ === SHOWN) return context.line(`  and more: GET /v1/bulk/${id}/items`)
    context.line(`  ${run}  ${outcome.padEnd(7)}  ${plain(reason)}`)
  }
}

const stop: Command = {
  name: "bulk stop",
  says: "stop a bulk operation: what is under way is finished, nothing more is begun",
  words: ["<bulk>"],
  examples: ["bulk stop bulk_01…"],
  async run(context, words) {
    const row = await (await context.client()).bulk.stop(words.text(0))
    context.show(row, () => [line(row)])
    return EXIT.ok
  },
}

interface Progress {
  readonly id: string
  readonly action: BulkAction
  readonly status: string
  readonly count: number
  readonly done: number
  readonly skipped: number
  readonly failed: number
}

const line = ({ id, action, status, count, done, skipped, failed }: Progress): string =>
  `${id}  ${action.padEnd(6)}  ${status.padEnd(7)}  ${done} of ${count} done, ${skipped} skipped, ${failed} failed`

export const bulk: readonly Command[] = [act("cancel"), act("again"), act("fork"), act("delete"), list, show, stop]
