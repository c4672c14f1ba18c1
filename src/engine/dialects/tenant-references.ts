// Provides `ctx.references` of a flowai handler [C3, C20–C26]: if the host has no references, those of the call's tenant. Taint is kept
// both ways: on references created and on references read [G11].

import type { Json, JsonObject } from "../../core/json.ts"
import type { LookedUp, References as TenantReferences } from "../../ports/references.ts"

export interface DialectReferences {
  create(kind: string, value: Json): Promise<JsonObject>
  resolve(ref: { readonly kind: string; readonly id: string }): Promise<JsonObject>
  glimpse(ref: { readonly kind: string; readonly id: string }): Promise<JsonObject>
}

/** Whether the call resolved a reference [G11], and whether its value came from outside. */
export interface ResolvedMarks {
  outside: boolean
  private: boolean
}

/** flowai throws for a reference that does not exist; Sluice's own references return a value. */
export function ofTenant(references: TenantReferences, tainted: boolean, seen: ResolvedMarks): DialectReferences {
  const found = <T extends { readonly tainted?: true }>(
    looked: LookedUp<T>,
    { kind, id }: { readonly kind: string; readonly id: string },
  ): T => {
    if (!looked.ok)
      throw new Error(looked.code === "unknown_kind" ? noKind(kind) : `there is no reference ${kind}/${id}; it may have expired`)
    seen.outside ||= looked.value.tainted === true
    seen.private = true
    return looked.value
  }
  return {
    async create(kind, value) {
      const created = await references.create(kind, value, { tainted })
      if (!created.ok && created.code === "unknown_kind") throw new Error(noKind(kind))
      if (!created.ok)
        throw new Error(
          `the value does not fit the kind ${kind}: ${created.faults.map(({ path, message }) => `${path} ${message}`.trim()).join("; ")}`,
        )
      const { id, glimpse } = created.reference
      return { kind, id, glimpse }
    },
    async resolve(ref) {
      const { kind, value, glimpse } = found(await references.resolve(ref.kind, ref.id), ref)
      return { kind, value, glimpse }
    },
    async glimpse(ref) {
      const { kind, glimpse } = found(await references.glimpse(ref.kind, ref.id), ref)
      return { kind, glimpse }
    },
  }
}

const noKind = (kind: string): string => `there is no kind of reference ${JSON.stringify(kind)}`
