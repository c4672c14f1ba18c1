// Reads a kind of plan [C30]: the schema of its body, the display names of its states, and the dispatcher that executes its actions [C35].

import { defined } from "../defined.ts"
import { isObject, type JsonObject, type JsonSchema } from "../json.ts"
import { pointerStep } from "../text/pointer.ts"
import type { SettingFault } from "../references/reference-kind.ts"
import { err, ok, type Result } from "../result.ts"
import { schemaFault } from "../schema/strict-value.ts"
import { SHOWN_STATES } from "./plan-state.ts"

/** A signed webhook, or a service binding of this Worker. */
export type Dispatcher = { readonly url: string; readonly secret: string } | { readonly binding: string }

export interface PlanSpec {
  readonly name: string
  /** The schema of the body as a planner sends it, with the fields of each action beside its `kind`. */
  readonly schema: JsonSchema
  readonly display_aliases?: Readonly<Record<string, string>>
  readonly dispatcher: Dispatcher
}

const FIELDS = ["schema", "display_aliases", "dispatcher"]

/** A tenant cannot use the Worker's other bindings. */
const BINDING = /^DISPATCH_[A-Z0-9_]{1,50}$/

/** Reads the body of PUT /v1/plans/NAME. The caller does the checks that need a URL parser. */
export function readPlanSpec(name: string, body: unknown): Result<PlanSpec, readonly SettingFault[]> {
  if (!isObject(body)) return err([{ pointer: "", message: "must be a JSON object with schema and dispatcher" }])
  const faults: SettingFault[] = []
  for (const key of Object.keys(body))
    if (!FIELDS.includes(key)) faults.push({ pointer: pointerStep(key), message: "is not a field of a plan" })
  const { schema, display_aliases, dispatcher } = body
  const wrong = schema === undefined ? "is required: the JSON Schema of a plan's body" : schemaFault(schema)
  if (wrong !== undefined) faults.push({ pointer: "/schema", message: wrong })
  else if (isObject(schema)) for (const fault of unionFaults(schema)) faults.push(fault)
  const aliases = readAliases(display_aliases, faults)
  const sink = readDispatcher(dispatcher, faults)
  if (faults.length > 0 || !sink || !isObject(schema)) return err(faults)
  return ok({ name, schema: schema as JsonSchema, dispatcher: sink, ...defined({ display_aliases: aliases }) })
}

function readAliases(given: unknown, faults: SettingFault[]): Record<string, string> | undefined {
  if (given === undefined) return undefined
  if (!isObject(given)) {
    faults.push({ pointer: "/display_aliases", message: "must be a JSON object: state → display name" })
    return undefined
  }
  const aliases: Record<string, string> = {}
  for (const [state, alias] of Object.entries(given)) {
    const pointer = `/display_aliases${pointerStep(state)}`
    if (!SHOWN_STATES.some((known) => known === state))
      faults.push({ pointer, message: `is not a state; known: ${SHOWN_STATES.join(", ")}` })
    else if (typeof alias !== "string" || alias.trim() === "" || alias.length > 100)
      faults.push({ pointer, message: "must be a text of 1 to 100 characters" })
    else aliases[state] = alias
  }
  return aliases
}

function readDispatcher(given: unknown, faults: SettingFault[]): Dispatcher | undefined {
  const fault = (pointer: string, message: string): undefined => void faults.push({ pointer: `/dispatcher${pointer}`, message })
  if (!isObject(given)) return fault("", "is required: {url, secret: SCOPE} or {binding: DISPATCH_NAME}")
  const { url, secret, binding, ...others } = given
  for (const key of Object.keys(others)) fault(pointerStep(key), "is not a field of a dispatcher")
  if (binding !== undefined) {
    if (url !== undefined || secret !== undefined) return fault("", "must be a webhook or a binding, not both")
    if (typeof binding === "string" && BINDING.test(binding)) return { binding }
    return fault("/binding", "must be the name of a service binding that starts with DISPATCH_")
  }
  if (typeof url !== "string" || !/^https?:\/\//i.test(url) || url.length > 2_048) return fault("/url", "must be an http(s) address")
  if (typeof secret !== "string" || !/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/.test(secret))
    return fault("/secret", "is required: the scope of the secret that signs deliveries")
  return { url, secret }
}

/** The member that contains an action's kind. */
export function discriminatorOf(schema: JsonSchema): string {
  const named = actionItems(schema)?.["discriminator"]
  const property = isObject(named) ? named["propertyName"] : undefined
  return typeof property === "string" && property !== "" ? property : "kind"
}

function actionItems(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined {
  const properties = schema["properties"]
  const actions = isObject(properties) ? properties["actions"] : undefined
  const items = isObject(actions) ? actions["items"] : undefined
  return isObject(items) ? items : undefined
}

/** Actions of several kinds are a tagged union [C31]: `oneOf` with at least two variants, each with a different `const` as discriminator. */
function unionFaults(schema: Readonly<Record<string, unknown>>): SettingFault[] {
  const variants = actionItems(schema)?.["oneOf"]
  if (variants === undefined) return []
  const at = "/schema/properties/actions/items/oneOf"
  const tag = discriminatorOf(schema as JsonObject)
  if (!Array.isArray(variants) || variants.length < 2) return [{ pointer: at, message: "needs at least two kinds of actions" }]
  const seen = new Set<unknown>()
  return variants.flatMap((variant: unknown, i): SettingFault[] => {
    const properties = isObject(variant) ? variant["properties"] : undefined
    const value = isObject(properties) && isObject(properties[tag]) ? properties[tag]["const"] : undefined
    const pointer = `${at}/${i}/properties${pointerStep(tag)}`
    if (typeof value !== "string" || value === "") return [{ pointer, message: "must have a `const`: the name of this kind of action" }]
    if (seen.has(value)) return [{ pointer, message: `${JSON.stringify(value)} is already used by another variant` }]
    seen.add(value)
    return []
  })
}
