// A tenant's references and plans in memory: the same rows as the tenant's object, for tests without one.

import { canonical, type Json } from "../../../src/core/json.ts"
import { mayBecome, type PlanState } from "../../../src/core/plans/plan-state.ts"
import type { PlanSpec } from "../../../src/core/plans/plan-spec.ts"
import type { ReferenceKind } from "../../../src/core/references/reference-kind.ts"
import { MemoryBlobs } from "../../../src/engine/run/memory-store.ts"
import { createReference, findReference, shown, withValue } from "../../../src/engine/run/references.ts"
import type { PlanRows, PlanView } from "../../../src/ports/tenant/authoring/plans.ts"
import type { ReferenceRow, References } from "../../../src/ports/references.ts"

export class MemoryReferences implements References {
  readonly specs = new Map<string, ReferenceKind>()
  readonly rows = new Map<string, ReferenceRow>()
  readonly blobs = new MemoryBlobs()
  now = 1_000_000
  readonly #tenant: string

  constructor(tenant = "acme") {
    this.#tenant = tenant
  }

  get #deps() {
    return {
      rows: {
        kind: (name: string) => this.specs.get(name),
        find: (kind: string, id: string) => this.rows.get(`${kind}/${id}`),
        put: (row: ReferenceRow) => void this.rows.set(`${row.kind}/${row.id}`, row),
      },
      blobs: this.blobs,
      tenant: this.#tenant,
      now: () => this.now,
    }
  }

  async kinds() {
    return [...this.specs.keys()]
  }
  async putKind(kind: ReferenceKind) {
    const known = this.specs.has(kind.name)
    this.specs.set(kind.name, kind)
    return known ? ("replaced" as const) : ("created" as const)
  }
  async removeKind(name: string) {
    for (const row of this.rows.values()) if (row.kind === name) this.rows.delete(`${name}/${row.id}`)
    return this.specs.delete(name)
  }
  create(kind: string, value: Json, options?: { readonly tainted?: boolean }) {
    return createReference(this.#deps, kind, value, options?.tainted === true)
  }
  async resolve(kind: string, id: string) {
    const found = findReference(this.#deps, kind, id)
    return found.ok ? { ok: true as const, value: await withValue(this.blobs, found.value) } : found
  }
  async glimpse(kind: string, id: string) {
    const found = findReference(this.#deps, kind, id)
    return found.ok ? { ok: true as const, value: shown(found.value) } : found
  }
}

export class MemoryPlans implements PlanRows {
  readonly kinds = new Map<string, PlanSpec>()
  readonly rows = new Map<string, PlanView>()
  /** Every state that a plan entered, in order. */
  readonly moves: string[] = []

  async spec(name: string) {
    return this.kinds.get(name)
  }
  async specs() {
    return [...this.kinds.values()]
  }
  async putSpec(spec: PlanSpec) {
    const known = this.kinds.has(spec.name)
    this.kinds.set(spec.name, spec)
    return known ? ("replaced" as const) : ("created" as const)
  }
  async removeSpec(name: string) {
    return this.kinds.delete(name)
  }
  async ofRun(run: string) {
    return [...this.rows].flatMap(([key, plan]) => (key.startsWith(`${run}/`) ? [plan] : []))
  }
  async find(run: string, planId: string) {
    const plan = this.rows.get(`${run}/${planId}`)
    const display = plan && this.kinds.get(plan.plan)?.display_aliases?.[plan.state]
    return plan && display !== undefined ? { ...plan, display } : plan
  }
  async copy(from: string, to: string) {
    for (const plan of await this.ofRun(from)) this.rows.set(`${to}/${plan.planId}`, plan)
  }
  async insert(run: string, plan: Parameters<PlanRows["insert"]>[1]) {
    const key = `${run}/${plan.planId}`
    const before = this.rows.get(key)
    if (before && (before.plan !== plan.plan || canonical(before.body) !== canonical(plan.body))) return "other" as const
    if (before) {
      const marks = { ...(plan.tainted ? { tainted: plan.tainted } : {}), ...(plan.private ? { private: plan.private } : {}) }
      this.rows.set(key, { ...before, ...marks })
      return "ok" as const
    }
    this.rows.set(key, { ...plan, state: "draft" })
    return "ok" as const
  }
  async move(run: string, planId: string, to: PlanState, end: { readonly result?: Json; readonly error?: string } = {}) {
    const key = `${run}/${planId}`
    const plan = this.rows.get(key)
    if (!plan) return "unknown" as const
    if (!mayBecome(plan.state, to)) return plan.state
    const { result, error } = end
    this.rows.set(key, {
      ...plan,
      state: to,
      ...(result === undefined ? {} : { result: result as never }),
      ...(error === undefined ? {} : { error }),
    })
    this.moves.push(to)
    return "ok" as const
  }
}
