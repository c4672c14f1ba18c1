// Runs that exist: list, read, control, continue, compare.

import { inProjectWords } from "../../local/project-words.ts"
import { plain } from "../../local/show-run.ts"
import { EXIT } from "../exit.ts"
import type { Command } from "../command.ts"
import type { RunRow } from "../../src/api/doc/run/runs.doc.ts"
import { RUN_SORTS } from "../../src/api/run/runs.ts"
import { knownFrame } from "../../local/frame.ts"
import { addEvent, newOutline, outlineOf } from "../../src/core/run/views/read-outline.ts"
import { showEvent } from "../../local/show-run.ts"
import { defined } from "../../src/core/defined.ts"
import { waitWords } from "../shown/start-line.ts"
import { comparisonLines } from "../shown/comparison-lines.ts"
import { FOUND_BY, foundBy } from "../found-by.ts"
import { TriggerNames } from "../trigger-names.ts"
import { valueOf } from "../inputs.ts"
import { stepTree, usageLine } from "../step-tree.ts"
import { waitsForPerson } from "../waits.ts"

export const runs: Command = {
  name: "runs",
  says: "list runs, newest first; child runs only if asked for",
  options: [
    ...FOUND_BY,
    { flags: "--parent <run>", says: "only child runs of this run" },
    { flags: "--children", says: "child runs too" },
    { flags: "--sort <order>", says: "the newest first, or the oldest, or the largest cost or duration", choices: RUN_SORTS },
    { flags: "--limit <n>", says: "at most this many; 20 by default" },
  ],
  examples: [
    "runs --status running,waiting",
    "runs --flow 'support:*' --since 7d --q refund",
    "runs --sort cost --limit 3",
    "runs --parent run_01…",
    "runs --json | jq '.data[].id'",
  ],
  async run(context, _, given) {
    const most = given.number("limit", 1) ?? 20
    const parent = given.text("parent")
    const sort = RUN_SORTS.find((one) => one === given.text("sort"))
    const client = await context.client()
    const found = client.runs.list({
      ...foundBy(given),
      ...defined({ parent, sort }),
      ...(given.flag("children") ? { children: 1 as const } : {}),
      limit: Math.min(most, 200),
    })
    const names = new TriggerNames(client)
    const rows: RunRow[] = []
    let shown = 0
    for await (const row of found) {
      if (context.isJson) rows.push(row)
      else context.line(rowLine(row, await names.of(row.trigger)))
      if (++shown >= most) break
    }
    if (context.isJson) context.json({ data: rows })
    else if (shown === 0) context.line("no runs")
    return EXIT.ok
  },
}

function rowLine({ id, created, status, flow, pending, rehearsed }: RunRow, by: string): string {
  const mark = pending > 0 ? `  asks ${pending}` : ""
  return `${id}  ${created}  ${status.padEnd(9)}  ${plain(flow)}${mark}${rehearsed ? "  rehearsed" : ""}${by === "" ? "" : `  ${plain(by)}`}`
}

export const show: Command = {
  name: "show",
  says: "show a run: its status, its steps and what they cost, its output",
  words: ["<run>"],
  options: [{ flags: "--at <seq>", says: "the run as it was after this event" }],
  examples: ["show run_01…", "show run_01… --json | jq .output"],
  async run(context, words, given) {
    const client = await context.client()
    const id = words.text(0)
    const view = await client.runs.get(id, given.number("at"))
    if (context.isJson) context.json(view)
    else {
      const outline = outlineOf(await client.runs.journal(id), given.number("at"))
      const waits = view.pending > 0 ? `, asks ${view.pending}` : ""
      context.line(`${view.id}  ${plain(view.flow)}  ${view.status}${waits}${view.rehearsed ? "  rehearsed" : ""}`)
      if (view.status === "queued" && view.waiting !== undefined) context.line(`  queued: ${plain(waitWords(view.waiting))}`)
      if (view.task !== "") context.line(`  ${plain(view.task).split("\n").slice(0, 4).join("\n  ")}`)
      for (const line of [...stepTree(outline), usageLine(outline)]) context.line(line)
      if (view.error !== undefined) context.line(`  failed: ${plain(inProjectWords(view.error.message))}`)
      if (view.output !== undefined) context.line(`  output: ${plain(JSON.stringify(view.output, null, 2)).replaceAll("\n", "\n  ")}`)
    }
    return waitsForPerson(view) ? EXIT.waits : view.status === "failed" || view.status === "canceled" ? EXIT.failed : EXIT.ok
  },
}

export const logs: Command = {
  name: "logs",
  says: "print a run's journal as it is now",
  words: ["<run>"],
  options: [
    { flags: "--step <step>", says: "only this step" },
    { flags: "--after <seq>", says: "only events after this one" },
  ],
  examples: ["logs run_01…", "logs run_01… --step review", "logs run_01… --json | jq -c 'select(.type == \"tool.refused\")'"],
  async run(context, words, given) {
    const client = await context.client()
    const events = await client.runs.journal(words.text(0), given.number("after") ?? 0)
    const step = given.text("step")
    const outline = newOutline()
    for (const event of events) {
      if (step !== undefined && (!("step" in event) || event.step !== step)) continue
      if (context.isJson) {
        context.json(event)
        continue
      }
      const known = knownFrame(event)
      if (known === undefined) continue
      if ("seq" in known) addEvent(outline, known)
      for (const line of showEvent(known, outline, { columns: context.world.out.columns || 120, color: context.hasColor }))
        context.line(line)
    }
    return EXIT.ok
  },
}

const control = (name: "cancel" | "pause" | "resume", says: string): Command => ({
  name,
  says,
  words: ["<run>"],
  examples: [`${name} run_01…`],
  async run(context, words) {
    const view = await (await context.client()).runs[name](words.text(0))
    context.show(view, () => [view.status])
    return EXIT.ok
  },
})

export const cancel = control("cancel", "cancel a run")
export const pause = control("pause", "pause a run: what is under way ends, nothing new begins")
export const resume = control("resume", "resume a paused run")

export const steer: Command = {
  name: "steer",
  says: "tell an agent something while it works",
  words: ["<run>", "<step>", "<message...>"],
  examples: ["steer run_01… reproduce Use version 2.4.1 and nothing newer."],
  async run(context, words) {
    const done = await (await context.client()).runs.steer(words.text(0), words.text(1), words.list(2).join(" "))
    context.show(done, () => [done.status])
    return EXIT.ok
  },
}

export const signal: Command = {
  name: "signal",
  says: "send a signal that a run waits for",
  words: ["<run>", "<name>", "[payload]"],
  examples: ["signal run_01… open", `signal run_01… paid '{"amount": 12}'`],
  async run(context, words) {
    const payload = words.maybe(2)
    const done = await (await context.client()).runs.signal(words.text(0), words.text(1), payload === undefined ? {} : valueOf(payload))
    context.show(done, () => [`${done.signal} is sent`])
    return EXIT.ok
  },
}

export const again: Command = {
  name: "again",
  says: "run it again from the beginning, with the current definitions",
  words: ["<run>"],
  examples: ["again run_01…"],
  async run(context, words) {
    const started = await (await context.client()).runs.again(words.text(0))
    context.show(started, () => [started.id])
    return EXIT.ok
  },
}

export const compare: Command = {
  name: "compare",
  says: "show where two runs diverge",
  words: ["<run>", "<other>"],
  examples: ["compare run_01… run_02…"],
  async run(context, words) {
    const found = await (await context.client()).runs.compare(words.text(0), words.text(1))
    context.show(found, () => comparisonLines(found))
    return EXIT.ok
  },
}

export const receipt: Command = {
  name: "receipt",
  says: "print the receipt of an ended run: its signed journal",
  words: ["<run>"],
  examples: ["receipt run_01… > receipt.jsonl", "verify receipt.jsonl"],
  async run(context, words) {
    context.world.out.write(await (await context.client()).runs.receipt(words.text(0)))
    return EXIT.ok
  },
}

export const effects: Command = {
  name: "effects",
  says: "list a run's calls that change something outside",
  words: ["<run>"],
  examples: ["effects run_01…"],
  async run(context, words) {
    const data = await (await context.client()).runs.effects(words.text(0)).all()
    context.show({ data }, () =>
      data.length === 0 ? ["no effects"] : data.map((effect) => plain(`${effect.state.padEnd(10)}  ${effect.tool}  ${effect.key}`)),
    )
    return EXIT.ok
  },
}

export const files: Command = {
  name: "files",
  says: "list a run's files, or print one",
  words: ["<run>", "[path]"],
  examples: ["files run_01…", "files run_01… triage/report.md > report.md"],
  async run(context, words) {
    const { runs: api } = await context.client()
    const path = words.maybe(1)
    if (path !== undefined) {
      context.world.out.write(await api.file(words.text(0), path))
      return EXIT.ok
    }
    const data = await api.files(words.text(0)).all()
    context.show({ data }, () =>
      data.length === 0 ? ["no files"] : data.map((file) => `${String(file.size).padStart(9)}  ${plain(file.path)}`),
    )
    return EXIT.ok
  },
}
