// Scores a pass that a step with `until` has offered [V23], writes what its judge is asked, and puts back what later rounds wrote [V25].

import { kept } from "../../../core/run/said/score.ts"
import { stepAccount } from "../../../core/score/step-account.ts"
import { defined } from "../../../core/defined.ts"
import type { RunEvent } from "../../../core/run/event.ts"
import type { PutBack } from "../../../core/run/action.ts"
import type { Signal } from "../../../core/run/signal.ts"
import { filesChangedBy } from "../../../core/run/steps/changed-files.ts"
import type { Stop } from "../../../ports/model.ts"
import type { Performed } from "../conduct/stage.ts"
import type { EffectDeps } from "../call/effect-deps.ts"
import { StagedWorkspace } from "../call/staged-workspace.ts"
import { MemoryIndex } from "../memory-store.ts"
import type { OfferedPass } from "./offered-pass.ts"
import { scoreAsked } from "../../score/score-asked.ts"

type Parts = Pick<EffectDeps, "journal" | "blobs" | "clock" | "sandbox" | "redactor" | "hash">

export async function scoreRound(parts: Parts, pass: OfferedPass, key: string, stop: Stop): Promise<Signal> {
  const found = await asked(parts, pass, () => stop.turn())
  const verdict = "task" in found ? { score: null, error: "its judge was not asked" } : found.verdict
  // [T32] A handler may say what it read.
  const redactor = await parts.redactor()
  const clean = (text: string | undefined): string | undefined => (text === undefined ? undefined : redactor.text(text))
  return { type: "judged", key, verdict: kept({ ...verdict, ...defined({ reason: clean(verdict.reason), error: clean(verdict.error) }) }) }
}

/** What the judge is asked. */
export async function taskOfJudge(parts: Parts, pass: OfferedPass): Promise<string> {
  const found = await asked(parts, pass, async () => undefined)
  return "task" in found ? found.task : ""
}

async function asked({ journal, blobs, clock, sandbox, hash }: Parts, pass: OfferedPass, turn: () => Promise<void>) {
  const { flow, step, scorer } = pass
  if (!scorer) return { verdict: { score: null, error: "the scorer is not among the definitions of this run" } }
  const events = passEvents(journal, pass)
  const steps = { [step]: { status: "complete", pass: events.findLast((e) => e.type === "step.offered")?.pass ?? 1 } }
  const task = events.find((e) => e.type === "step.opened")?.task ?? ""
  const workspace = new StagedWorkspace({ index: journal, blobs, now: () => clock.now() })
  const body = pass.code === undefined ? undefined : await blobs.get(pass.code)
  return scoreAsked(
    {
      flow,
      task,
      scored: ({ files }) => ({ account: stepAccount({ flow, step, events, ...defined({ files }) }), view: { steps }, events }),
      file: async (path) => textOf(await workspace.read(path).catch(() => undefined)),
      sandbox,
      turn,
      fresh: () => hash(clock.id()).slice(0, 16),
    },
    { scorer, ...defined({ code: body && new TextDecoder().decode(body) }) },
  )
}

const PAGE = 500

function passEvents(journal: Parts["journal"], { step, opened, offered }: OfferedPass): readonly RunEvent[] {
  const events: RunEvent[] = []
  for (let after = opened - 1; after < offered;) {
    const page = journal.read(after, PAGE)
    for (const e of page) if (e.seq <= offered && "step" in e && e.step === step) events.push(e)
    after = page.at(-1)?.seq ?? offered
  }
  return events
}

function textOf(body: Uint8Array | undefined): string | null {
  if (!body) return null
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    return null
  }
}

/** The files that these steps changed last since the event, as they were then. */
export function putBackFiles({ journal }: Pick<Parts, "journal">, { key, to, steps }: PutBack): Performed {
  const files = new MemoryIndex()
  const last = new Map<string, string | undefined>()
  for (let after = 0; ;) {
    const page = journal.read(after, PAGE)
    for (const e of page) {
      if (e.seq <= to) files.take(filesChangedBy(e), e.at)
      else if (e.type === "file.changed") last.set(e.path, e.step)
    }
    const end = page.at(-1)
    if (!end) break
    after = end.seq
  }
  const changed = [...last].flatMap(([path, by]) => {
    const now = journal.stat(path)
    const then = files.stat(path)
    if (by === undefined || !steps.includes(by) || now?.hash === then?.hash) return []
    const marks = { ...(then?.tainted ? { tainted: true } : {}), ...(then?.private ? { private: true } : {}) }
    return [{ path, base: now?.hash ?? null, hash: then?.hash ?? null, size: then?.size ?? 0, ...marks }]
  })
  return { signal: { type: "put-back", key, changed }, files: changed }
}
