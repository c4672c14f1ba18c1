// Handles the settings that are stored as sent (src/api/stored.ts): PUT replaces, GET reads, and a collection's list is paged. OWN and
// OWN_ITEMS have the checks that a schema cannot express.

import { COLLECTIONS, SETTINGS, settings } from "../../api/settings.ts"
import type { Routes } from "../../api/route/route.ts"
import { capital, collectionRoutes as declared } from "../../api/stored.ts"
import { isName } from "../../core/text/names.ts"
import { ok, type Result } from "../../core/result.ts"
import type { CollectionName, Item, SettingName, SettingValue } from "../../ports/tenant/settings.ts"
import { json } from "../middleware/body.ts"
import { param, routes, type Call, type HandledRoute } from "../middleware/call.ts"
import { page } from "../middleware/page.ts"
import { invalid, NOT_FOUND, refuse, type Refusal } from "../middleware/problem.ts"
import { writing } from "../catalog/past-gate.ts"
import { planOf } from "../tools/plans.ts"
import { kindOf, nameOfKind } from "../tools/references.ts"
import { gateOf, scoringOf } from "./rule-names.ts"
import { pricesOf } from "./prices.ts"
import { rolesOf } from "./roles.ts"
import { telemetryOf } from "./telemetry.ts"
import { servicesOf } from "./services.ts"

/** Reads a setting's body; absent: by its schema alone. */
type Reading<Value> = Result<Value, Refusal> | Promise<Result<Value, Refusal>>
const OWN: { readonly [Name in SettingName]?: (c: Call) => Reading<SettingValue<Name>> } = {
  gate: gateOf,
  prices: pricesOf,
  roles: rolesOf,
  scoring: scoringOf,
  services: servicesOf,
  telemetry: telemetryOf,
}

interface OwnItem<Name extends CollectionName> {
  /** What is wrong with a name; absent: the rule for names of the catalog. */
  readonly nameFault?: (name: string) => string | undefined
  /** What is stored of a body that fits the schema. */
  readonly read?: (c: Call, name: string, body: unknown) => Result<Item<Name>, Refusal>
}
const faultOfName = (noun: string) => (name: string) =>
  isName(name) ? undefined : `the name of ${noun} must have 1 to 100 letters, digits, "-" or "_"`
const OWN_ITEMS: { readonly [Name in CollectionName]?: OwnItem<Name> } = {
  references: { nameFault: nameOfKind, read: kindOf },
  plans: { nameFault: faultOfName("a plan"), read: planOf },
}

function settingRoutes<Name extends SettingName>(name: Name): readonly HandledRoute[] {
  const bySchema = (c: Call) => json(c, SETTINGS[name].body) as Result<SettingValue<Name>, Refusal>
  const read: (c: Call) => Reading<SettingValue<Name>> = OWN[name] ?? bySchema
  const get = async (c: Call): Promise<Response> => c.json(await c.get("tenant").settings.get(name))
  const put = async (c: Call): Promise<Response> => {
    const body = await read(c)
    if (!body.ok) return refuse(c, body.error)
    const ports = writing(c)
    if (!ports.ok) return ports.error
    await ports.value.settings.put(name, body.value)
    return get(c)
  }
  return routes(settings, { [`get${capital(name)}`]: get, [`put${capital(name)}`]: put })
}

function collectionRoutes<Name extends CollectionName>(list: Name): readonly HandledRoute[] {
  const { one, body: schema, param: place, noun, nouns, most } = COLLECTIONS[list]
  const { nameFault = faultOfName(noun), read = named }: OwnItem<Name> = OWN_ITEMS[list] ?? {}
  const all = (c: Call): Promise<readonly Item<Name>[]> => c.get("tenant").settings.items(list)
  return routes<Routes>(declared(COLLECTIONS[list]), {
    [`list${one}s`]: async (c) => page(c, await all(c)),
    [`get${one}`]: async (c) => {
      const found = (await all(c)).find(({ name }) => name === param(c, place))
      return found ? c.json(found) : refuse(c, NOT_FOUND)
    },
    [`put${one}`]: async (c) => {
      const name = param(c, place)
      const fault = nameFault(name)
      if (fault !== undefined) return refuse(c, invalid([{ pointer: "", message: fault }]))
      const body = json(c, schema, "definition")
      const item = body.ok ? read(c, name, body.value) : body
      if (!item.ok) return refuse(c, item.error)
      const done = await c.get("tenant").settings.putItem(list, item.value)
      if (done === "full") return refuse(c, { code: "too_many_kinds", detail: `A tenant has at most ${most} ${nouns}.` })
      return c.json(item.value, done === "created" ? 201 : 200)
    },
    [`delete${one}`]: async (c) =>
      (await c.get("tenant").settings.removeItem(list, param(c, place))) ? c.body(null, 204) : refuse(c, NOT_FOUND),
  })
}

const named = <Name extends CollectionName>(_: Call, name: string, body: unknown): Result<Item<Name>, Refusal> =>
  ok({ name, ...(body as object) } as Item<Name>)

const keys = <All extends object>(all: All): (keyof All)[] => Object.keys(all) as (keyof All)[]

export const STORED_ROUTES: readonly HandledRoute[] = [
  ...keys(SETTINGS).flatMap((name) => settingRoutes(name)),
  ...keys(COLLECTIONS).flatMap((list) => collectionRoutes(list)),
]
