// The client and the API's declarations [H11]. The compiler compares the members of the client with the routes; here it compares what
// is written by hand: the views of core, and the client's narrower types. Every call of the client is an operation of the document.

import { describe, expect, test } from "vitest"
import type { z } from "zod"
import type { ArchitectWish, OpenBody } from "../../src/api/architect.ts"
import type { NewHook } from "../../src/api/hooks.ts"
import type { HookBody } from "../../src/core/webhook/hook-body.ts"
import type { Shape } from "../../src/api/doc/api.doc.ts"
import type * as scheduleShapes from "../../src/api/doc/schedules.doc.ts"
import type { Routes } from "../../src/api/route/route.ts"
import type { schedules } from "../../src/api/schedules.ts"
import type { Interaction } from "../../src/api/doc/run/interactions.doc.ts"
import type { RunView as RunViewShape } from "../../src/api/doc/run/runs.doc.ts"
import type { ToolRow, ToolRowShape } from "../../src/api/doc/tools.doc.ts"
import type { InteractionView, RunView } from "../../src/core/run/views/view.ts"
import { Part } from "../../src/client/transport/part.ts"
import { Sluice } from "../../src/client/sluice.ts"
import { OPERATIONS } from "../../src/http/openapi/operations.ts"

/** Compiles if B is assignable to A. */
type Fits<A, B extends A> = [A, B]

/** Bodies: the handler's schema accepts every value of the client's type. */
export type Sent = [Fits<z.input<typeof HookBody>, NewHook>, Fits<z.input<typeof OpenBody>, ArchitectWish>]

/** Answers: every value of the document's shape has the client's type. */
export type Answered = [
  Fits<RunView, z.output<typeof RunViewShape>>,
  Fits<InteractionView, z.output<typeof Interaction>>,
  Fits<ToolRow, z.output<typeof ToolRowShape>>,
]

describe("the client's calls", () => {
  test("[H11] are operations of the document", async () => {
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
    const forms = OPERATIONS.map(({ method, template }) => new RegExp(`^${method} ${template.replace(/\{\w+\}/g, "[^/]+")}$`))
    expect(lines.filter((line) => !forms.some((form) => form.test(line)))).toEqual([])
  })
})

/** A line that no route has, and a type that its route does not answer: the compiler refuses both. */
export class Wrong extends Part<typeof schedules, typeof scheduleShapes> {
  // @ts-expect-error no route has this path
  readonly nowhere: () => Promise<unknown> = this.route("GET /v1/nowhere")
  // @ts-expect-error the route answers a schedule
  readonly get: (id: string) => Promise<{ readonly colour: string }> = this.route("GET /v1/schedules/*")
  // @ts-expect-error the route takes a body
  readonly create: () => Promise<unknown> = this.route("POST /v1/schedules")
}
/** A shape that no document has. */
export const unknown: Routes<Shape> = {
  x: {
    method: "GET",
    path: "/",
    scope: "open",
    tag: "Runs",
    summary: "",
    // @ts-expect-error no shape has this name
    answers: { 200: { description: "", body: "Nothing" } },
  },
}

/** Calls every method of an object and of the objects in it, with arguments that fit anywhere. */
async function callAll(part: object, name: string, called: Set<string>): Promise<void> {
  for (const method of [...Object.keys(part), ...Object.getOwnPropertyNames(Object.getPrototypeOf(part))]) {
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
    const kind = name === "catalog" && ["read", "definition", "put", "remove", "validate"].includes(method) ? "flow" : "x"
    const answer: unknown = call.call(part, kind, "x", "x")
    called.add(`${name}.${method}`)
    if (typeof answer === "object" && answer !== null && "page" in answer && typeof answer.page === "function") await answer.page()
    else await answer
  }
  for (const [key, child] of Object.entries(part))
    if (typeof child === "object" && child !== null) await callAll(child, `${name}.${key}`, called)
}
