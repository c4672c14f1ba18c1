// Fixes what the variants of an experiment run [V32, V33], and forecasts an experiment from its first rows.

import { defined } from "../../core/defined.ts"
import { canonical } from "../../core/json.ts"
import type { Rules } from "../../core/tool/policy/policy.ts"
import { atOnce } from "../../engine/at-once.ts"
import { whatRuns } from "../../engine/experiment/what-runs.ts"
import type { BacktestChange, Proposal } from "../../ports/tenant/authoring/backtests.ts"
import {
  modeKey,
  type ExperimentFixing,
  type ExperimentForecast,
  type ExperimentRowGiven,
  type ExperimentsPort,
  type ExperimentWish,
  type FixedPins,
  type FixedVariant,
  type VariantFault,
  type VariantWish,
} from "../../ports/tenant/quality/experiments.ts"
import { runPort } from "../clients/run-port.ts"
import { loadPlan } from "../definitions/plan.ts"
import { clock } from "../platform/clock.ts"
import type { Env } from "../platform/env.ts"
import { portOf } from "../platform/port-of.ts"
import { sha256 } from "../platform/sha256.ts"
import { runIdOf } from "../platform/run-id.ts"

/** [V32] Rows that a check looks at. */
const LOOKED = 50
type Changed = { readonly ok: true; readonly change: BacktestChange } | VariantFault
const noOther = (agent: string, message: string): VariantFault => ({ ok: false, code: "no_other", agent, message })
const MODES = [false, true].flatMap((rehearse) => [false, true].map((autonomous) => ({ rehearse, autonomous })))

export class ExperimentVariants {
  readonly #env: Env
  readonly #tenant: string
  readonly #by: string

  constructor(env: Env, tenant: string, by: string) {
    this.#env = env
    this.#tenant = tenant
    this.#by = by
  }

  async fix({ variants, ...wish }: ExperimentWish): Promise<ExperimentFixing> {
    const fixed: FixedVariant[] = []
    let rules: Rules | undefined
    for (const [at, variant] of variants.entries()) {
      const name = nameOf(variant, at)
      if (variant.recorded) {
        fixed.push({ name })
        continue
      }
      const changed = await this.#changeOf(variant)
      if (!changed.ok) return { ok: false, at, change: {}, why: changed }
      const { change } = changed
      const pinned: Record<string, FixedPins> = {}
      let why: Extract<Proposal, { ok: false }> | undefined
      for (const mode of MODES) {
        const proposal = await portOf(this.#env, this.#tenant, "starts").propose({ flow: wish.flow, change, ...mode })
        if (!proposal.ok) {
          why ??= proposal
          continue
        }
        const { flow, pins, rehearsed, money } = proposal.pinned
        rules ??= proposal.pinned.rules
        pinned[modeKey(mode)] = { flow, pins, rehearsed, ...defined({ own: money?.budget }) }
      }
      if (Object.keys(pinned).length === 0 && why) return { ok: false, at, change, why }
      const stray = Object.keys(variant.agents ?? {}).find(
        (agent) => !Object.values(pinned).some(({ pins }) => Object.hasOwn(pins.agents, agent)),
      )
      if (stray !== undefined) return { ok: false, at, change, why: noOther(stray, "is not an agent of the flow") }
      fixed.push({ name, pinned, form: await this.#formOf(pinned) })
    }
    // Recorded runs are what they were: only what would run is compared.
    const isEqual = fixed.length > 1 && fixed.every(({ form }) => form !== undefined && form === fixed[0]?.form)
    return { ok: true, fixed: { ...wish, variants: fixed, isEqual }, ...defined({ rules }) }
  }

  async #changeOf({ revision, draft, definitions, models, agents = {}, write, settings }: VariantWish): Promise<Changed> {
    const texts: Record<string, string | null> = { ...definitions }
    for (const [agent, other] of Object.entries(agents)) {
      const text = definitions?.[`agents/${other}.md`] ?? (await portOf(this.#env, this.#tenant, "catalog").read("agent", other))?.content
      if (text === undefined) return noOther(agent, `there is no agent "${other}"`)
      // Under the other's name: the flow asks for it by this one.
      texts[`agents/${agent}.md`] = text.replace(/^name:.*$/m, `name: ${JSON.stringify(agent)}`)
    }
    return {
      ok: true,
      change: defined({ revision, draft, models, write, settings, definitions: Object.keys(texts).length > 0 ? texts : undefined }),
    }
  }

  async #formOf(pinned: Readonly<Record<string, FixedPins>>): Promise<string> {
    const load = (pins: FixedPins["pins"]) => loadPlan({ env: this.#env, later: () => undefined }, { tenant: this.#tenant, pins })
    const modes: Record<string, string> = {}
    for (const [mode, { pins }] of Object.entries(pinned)) modes[mode] = await whatRuns(pins, load)
    return sha256(canonical(modes))
  }

  async check(
    { fixed: { variants, repeats, isEqual }, rules }: Parameters<ExperimentsPort["check"]>[0],
    rows: readonly ExperimentRowGiven[],
  ): Promise<ExperimentForecast> {
    const looked = rows.slice(0, LOOKED)
    const pins = variants.flatMap(({ pinned }) => (pinned ? [pinned] : []))
    const none = { tokens: 0, usd: null }
    if (isEqual) return { rows: rows.length, looked: looked.length, same: looked.length, trials: 0, typical: none }
    const found = await atOnce(looked, async ({ run }) => {
      const port = run === undefined ? undefined : runPort(this.#env, this.#tenant, run)
      if (!port || !rules || pins.length === 0) return port ? (await port.view())?.usage : undefined
      const probe = runIdOf(this.#env, this.#tenant, clock.id())
      const answer = await port.planRow({ variants: pins, rules, by: this.#by, probe })
      if (answer?.planned.do === "same") return "same" as const
      return answer?.planned.do === "fork" ? answer.planned.after : (await port.view())?.usage
    })
    const same = found.filter((one) => one === "same").length
    const used = found.flatMap((one) => (one === undefined || one === "same" ? [] : [one]))
    const mean = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / Math.max(1, values.length)
    const priced = used.flatMap(({ usd }) => usd ?? [])
    const differing = looked.length === 0 ? 0 : Math.round((rows.length * (looked.length - same)) / looked.length)
    return {
      rows: rows.length,
      looked: looked.length,
      same,
      trials: differing * pins.length * repeats,
      typical: { tokens: Math.round(mean(used.map(({ tokens }) => tokens))), usd: priced.length === 0 ? null : mean(priced) },
    }
  }
}

export function nameOf({ name, recorded, draft, revision }: VariantWish, at: number): string {
  if (name !== undefined) return name
  if (recorded) return "recorded"
  if (draft !== undefined) return draft
  if (revision !== undefined) return `revision ${revision}`
  return at === 0 ? "now" : `variant ${at + 1}`
}
