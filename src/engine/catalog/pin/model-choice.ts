// Chooses the model of an agent [F52]: `@role` → the tenant's roles → the role `default` → without any provider, the built-in rehearsal
// model, which only the local environment uses by default. `provider/model` is used directly; a bare model id belongs to the only
// configured provider. Decided when a run is pinned, so a settings change never affects a running run.

import type { Thinking } from "../../../core/flow/agent.ts"
import { MAX_MODELS, type ModelRef, modelRefs, parseModelRef } from "../../../core/flow/model-ref.ts"
import type { Result } from "../../../core/result.ts"
import { err, ok } from "../../../core/result.ts"

export interface ModelSettings {
  /** Names of the configured providers. */
  readonly providers: readonly string[]
  /** Role → its models, in order. */
  readonly roles: Readonly<Record<string, string | readonly string[]>>
  /** [R32, R35] Provider → what a call in a batch costs of a whole one, or that it is answered at once; absent: it has no batch API. */
  readonly batches?: Readonly<Record<string, number | "at once">>
  /** Outside the local environment nothing is rehearsed unless it was asked for [M3]. */
  readonly needsProvider?: true
}

/** The provider that always exists: no key, no network [M3]. A tenant cannot configure a provider of this name. */
export const REHEARSAL = "rehearsal"
export const REHEARSAL_MODEL = `${REHEARSAL}/default`
export const isRehearsal = (model: string): boolean => model.startsWith(`${REHEARSAL}/`)

/** The fault of a provider's name, or undefined. The name is the first part of `provider/model`. */
export function providerNameFault(name: string): string | undefined {
  if (name === REHEARSAL) return `"${REHEARSAL}" is the built-in model, which needs no settings; use another name`
  if (/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(name)) return undefined
  return `"${name}" is not a valid provider name: use up to 64 letters, digits, "_", "-" and ".", starting with a letter or digit`
}

const PUT_PROVIDER = "PUT /v1/settings/providers"
const PUT_ROLES = "PUT /v1/settings/roles"

/**
 * `provider/model` or `provider/model:thinking`, or why there is none. `ref` absent means the default. The agent's thinking
 * level overrides the suffix of the reference and of the role it resolves to.
 */
export function resolveModel(ref: string | undefined, thinking: Thinking | undefined, settings: ModelSettings): Result<string, string> {
  const all = resolveModels(ref, thinking, settings)
  return all.ok ? ok(all.value.first) : all
}

/** The model and its fallbacks [F33], all of which must exist. `thinking`: the level of the first reference. */
export function resolveModels(
  text: string | undefined,
  thinking: Thinking | undefined,
  settings: ModelSettings,
): Result<{ readonly first: string; readonly others: readonly string[] }, string> {
  const [ref, ...others] = text === undefined ? [] : modelRefs(text)
  const found = alternatives(ref, thinking, settings)
  if (!found.ok) return found
  const models = new Set(found.value)
  for (const other of others) {
    const next = alternatives(other, undefined, settings)
    if (!next.ok) return next
    for (const model of next.value) models.add(model)
  }
  const [first = REHEARSAL_MODEL, ...rest] = models
  if (models.size > MAX_MODELS) return err(`${models.size} models would take turns, but at most ${MAX_MODELS} may: name fewer`)
  return ok({ first, others: rest })
}

function alternatives(ref: string | undefined, thinking: Thinking | undefined, settings: ModelSettings): Result<readonly string[], string> {
  const asked = ref === undefined ? undefined : parseModelRef(ref)
  if (asked && asked.kind !== "role") return listOf(concrete(asked, thinking, settings))
  const role = asked?.role
  const mapped = own(settings.roles, role) ?? own(settings.roles, "default")
  if (mapped === undefined) {
    if (settings.providers.length > 0) return err(noDefault(role, settings.providers))
    return settings.needsProvider ? err(NO_PROVIDER) : ok([REHEARSAL_MODEL])
  }
  const models: string[] = []
  for (const model of typeof mapped === "string" ? [mapped] : mapped) {
    const target = parseModelRef(model)
    // One hop only: roles that name roles could form a cycle.
    if (target.kind === "role") return err(`the role's setting "${model}" names another role: map it to provider/model with ${PUT_ROLES}`)
    const one = concrete(target, thinking ?? asked?.thinking, settings)
    if (!one.ok) return one
    models.push(one.value)
  }
  return ok(models)
}

const listOf = (one: Result<string, string>): Result<readonly string[], string> => (one.ok ? ok([one.value]) : one)

const NO_PROVIDER = `no model provider is set up: add one with ${PUT_PROVIDER}/NAME and map "default" to one of its models with ${PUT_ROLES}, or start with \`rehearse: true\``

function noDefault(role: string | undefined, providers: readonly string[]): string {
  const isNamed = role !== undefined && role !== "default"
  const what = isNamed ? `the role "@${role}" is not mapped and there is no default` : "no model is named and there is no default"
  const roles = isNamed ? `"${role}" or "default"` : '"default"'
  return `${what}: map ${roles} to a model with ${PUT_ROLES}, or name one as provider/model (${PUT_PROVIDER}/NAME; set up: ${providers.join(", ")})`
}

function concrete(
  named: Exclude<ModelRef, { kind: "role" }>,
  thinking: Thinking | undefined,
  { providers }: ModelSettings,
): Result<string, string> {
  const level = thinking ?? named.thinking
  const suffix = level === undefined ? "" : `:${level}`
  if (named.id === "") return err(`the model reference names no model: write provider/model, or map a role with ${PUT_ROLES}`)
  if (named.kind === "provider") {
    // The rehearsal model has no thinking levels.
    if (named.provider === REHEARSAL) return ok(`${REHEARSAL}/${named.id}`)
    if (providers.includes(named.provider)) return ok(`${named.provider}/${named.id}${suffix}`)
    return err(
      `there is no provider "${named.provider}" for the model "${named.provider}/${named.id}": set it up with ${PUT_PROVIDER}/${named.provider}`,
    )
  }
  const [only, another] = providers
  if (only !== undefined && another === undefined) return ok(`${only}/${named.id}${suffix}`)
  return err(
    only === undefined
      ? `there is no provider for the model "${named.id}": set one up with ${PUT_PROVIDER}/NAME, or start with \`rehearse: true\``
      : `the model "${named.id}" could belong to any provider: write it as provider/model (${PUT_PROVIDER}/NAME; set up: ${providers.join(", ")})`,
  )
}

const own = <Value>(map: Readonly<Record<string, Value>>, key: string | undefined): Value | undefined =>
  key !== undefined && Object.hasOwn(map, key) ? map[key] : undefined
