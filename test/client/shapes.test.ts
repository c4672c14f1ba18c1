// The client's types against the API's document [H11]: what a caller may send is what a handler takes, and what comes back is at least
// what the client says. The compiler is the judge (`tsc -b`); every client method is a call that the document knows.

import { describe, expect, test } from "vitest"
import type { z } from "zod"
import type { RunView, InteractionView } from "../../src/core/run/views/view.ts"
import { Sluice } from "../../src/client/sluice.ts"
import type * as client from "../../src/client/shapes.ts"
import { ROUTES } from "../../src/http/app.ts"
import type { CallbackBody } from "../../src/http/triggers/callbacks.ts"
import type { HookBody } from "../../src/http/triggers/hooks.ts"
import type { AnswerBody } from "../../src/http/runs/interactions.ts"
import type { KeyBody } from "../../src/http/settings/keys.ts"
import type { OpenBody } from "../../src/http/catalog/architect.ts"
import type { PackageBody } from "../../src/http/catalog/packages.ts"
import type { PlanBody } from "../../src/http/tools/plans.ts"
import type { KindBody } from "../../src/http/tools/references.ts"
import type * as references from "../../src/http/openapi/references.ts"
import { operationsOf } from "../../src/http/openapi/document.ts"
import type * as shapes from "../../src/http/openapi/shapes.ts"
import type * as catalog from "../../src/http/openapi/catalog-shapes.ts"
import type * as settings from "../../src/http/openapi/settings-shapes.ts"
import type * as triggers from "../../src/http/openapi/trigger-shapes.ts"
import type { ScheduleBody } from "../../src/http/triggers/schedules.ts"
import type { Provider } from "../../src/http/settings/settings.ts"
import type { StartBody } from "../../src/http/runs/start-run.ts"
import type { TenantBody } from "../../src/http/settings/tenants.ts"

/** Compiles when B is given wherever an A is wanted. */
type Fits<A, B extends A> = [A, B]
type In<S extends z.ZodType> = z.input<S>
type Out<S extends z.ZodType> = z.output<S>

/** Sent: the client's type is one that the handler's schema takes. */
export type Sent = [
  Fits<In<typeof StartBody>, client.Start>,
  Fits<In<typeof AnswerBody>, client.Answer>,
  Fits<In<typeof HookBody>, client.Hook>,
  Fits<In<typeof CallbackBody>, client.Callback>,
  Fits<In<typeof ScheduleBody>, client.Schedule>,
  Fits<In<typeof KeyBody>, client.NewKey>,
  Fits<In<typeof TenantBody>, client.NewTenant>,
  Fits<In<typeof Provider>, client.Provider>,
  Fits<In<typeof PackageBody>, { version: string } & client.Bundle>,
  Fits<In<typeof OpenBody>, client.ArchitectWish>,
  Fits<In<typeof KindBody>, client.ReferenceKind>,
  Fits<In<typeof PlanBody>, client.PlanKind>,
]

/** Answered: what the document says is one of the client's type. */
export type Answered = [
  Fits<RunView, Out<typeof shapes.RunView>>,
  Fits<InteractionView, Out<typeof shapes.Interaction>>,
  Fits<client.Started, Out<typeof shapes.Started>>,
  Fits<client.RunRow, Out<typeof shapes.RunRow>>,
  Fits<client.RunToken, Out<typeof shapes.RunToken>>,
  Fits<client.FileRow, Out<typeof shapes.FileRow>>,
  Fits<client.Asked, Out<typeof shapes.Asked>>,
  Fits<client.Question, Out<typeof shapes.Question>>,
  Fits<client.CatalogList, Out<typeof catalog.CatalogList>>,
  Fits<client.Written, Out<typeof catalog.Written>>,
  Fits<client.Verdict, Out<typeof catalog.Verdict>>,
  Fits<client.Replaced, Out<typeof catalog.Replaced>>,
  Fits<client.ToolRow, Out<typeof catalog.ToolRow>>,
  Fits<client.HookRow, Out<typeof triggers.Hook>>,
  Fits<client.Delivery, Out<typeof triggers.Delivery>>,
  Fits<client.CallbackRow, Out<typeof triggers.Callback>>,
  Fits<client.CallbackDelivery, Out<typeof triggers.CallbackDelivery>>,
  Fits<client.ScheduleRow, Out<typeof triggers.Schedule>>,
  Fits<client.MadeKey, Out<typeof settings.NewKey>>,
  Fits<client.KeyRow, Out<typeof settings.KeyRow>>,
  Fits<client.SecretRow, Out<typeof settings.SecretRow>>,
  Fits<client.ProviderRow, Out<typeof settings.ProviderShown>>,
  Fits<client.Tenant, Out<typeof settings.Tenant>>,
  Fits<client.TenantDeleted, Out<typeof settings.TenantDeleted>>,
  Fits<client.Quotas, Out<typeof settings.QuotasShown>>,
  Fits<client.ObjectRow, Out<typeof catalog.ObjectRow>>,
  Fits<client.ObjectWritten, Out<typeof catalog.ObjectWritten>>,
  Fits<client.PackageRow, Out<typeof catalog.Package>>,
  Fits<client.PackageWhole, Out<typeof catalog.PackageWhole>>,
  Fits<client.PackageWritten, Out<typeof catalog.PackageWritten>>,
  Fits<client.ArchitectRow, Out<typeof catalog.ArchitectRow>>,
  Fits<client.ArchitectSession, Out<typeof catalog.ArchitectSession>>,
  Fits<client.ArchitectBegun, Out<typeof catalog.ArchitectBegun>>,
  Fits<client.ArchitectAccepted, Out<typeof catalog.Accepted>>,
  Fits<client.KindRow, Out<typeof references.Kind>>,
  Fits<client.Reference, Out<typeof references.Shown>>,
  Fits<client.Resolved, Out<typeof references.Resolved>>,
  Fits<client.PlanKindRow, Out<typeof references.Plan>>,
  Fits<client.RunPlan, Out<typeof references.PlanShown>>,
]

describe("the client's calls", () => {
  test("[H11] each is an operation of the document", async () => {
    const lines: string[] = []
    const client = new Sluice({
      url: "http://sluice.test",
      key: "k",
      fetch: async (url, init) => {
        lines.push(`${init.method} ${new URL(url).pathname}`)
        return Response.json({ data: [], next_cursor: null })
      },
    })
    const called = new Set<string>()
    for (const [name, part] of Object.entries(client)) await callAll(part, name, called)
    await callAll(client.tenants.keys("x"), "tenants.keys", called)
    expect(called.size).toBeGreaterThan(85)
    const forms = operationsOf(ROUTES).map(({ method, path }) => new RegExp(`^${method} ${path.replace(/\{\w+\}/g, "[^/]+")}$`))
    expect(lines.filter((line) => !forms.some((form) => form.test(line)))).toEqual([])
  })
})

/** Every method of a part, and of what hangs on it, with words that fit anywhere. */
async function callAll(part: object, name: string, called: Set<string>): Promise<void> {
  for (const method of Object.getOwnPropertyNames(Object.getPrototypeOf(part))) {
    if (
      method === "constructor" ||
      method === "run" ||
      method === "events" ||
      method === "socket" ||
      (name === "tenants" && method === "keys")
    )
      continue
    const call: unknown = Reflect.get(part, method)
    if (typeof call !== "function") continue
    const kind = name === "catalog" && ["read", "put", "remove", "validate"].includes(method) ? "flow" : "x"
    const answer: unknown = call.call(part, kind, "x", "x")
    called.add(`${name}.${method}`)
    if (typeof answer === "object" && answer !== null && "page" in answer && typeof answer.page === "function") await answer.page()
    else await answer
  }
  for (const [key, child] of Object.entries(part))
    if (typeof child === "object" && child !== null) await callAll(child, `${name}.${key}`, called)
}
