// The graph of a flow and the schemas of files over HTTPS.

import { describe, expect, test } from "vitest"
import { setUp } from "../../support/http/ask.ts"

const FLOW =
  "name: f\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: nobody }\n  - { id: b, type: agent, agent: nobody, blockedBy: a }\n"

describe("graph", () => {
  test("[F10] a stored flow has nodes and edges, even if its agents are missing", async () => {
    const { ask } = setUp()
    const { headers } = await ask("PUT", "/v1/flows/f", { body: FLOW })
    const r = await ask("GET", "/v1/flows/f/graph")
    expect([r.status, r.body]).toMatchObject([
      200,
      { nodes: [{ id: "a", type: "agent", agent: "nobody", segment: 0 }, { id: "b" }], edges: [{ from: "a", to: "b", kind: "blockedBy" }] },
    ])
    expect(r.headers.get("etag")).toBe(headers.get("etag"))
    expect((await ask("GET", "/v1/flows/f/graph", { headers: { "if-none-match": headers.get("etag") ?? "" } })).status).toBe(304)
    expect((await ask("GET", "/v1/flows/f/graph?revision=3")).status).toBe(200)
    expect((await ask("GET", "/v1/flows/f/graph?revision=0")).status).toBe(404)
    expect((await ask("GET", "/v1/flows/f/graph?revision=x")).status).toBe(422)
    expect((await ask("GET", "/v1/flows/none/graph")).status).toBe(404)
  })

  test("[F74] a stored flow that does not load is refused with its errors", async () => {
    const { ask } = setUp()
    await ask("PUT", "/v1/flows/f", { body: "steps: []" })
    const r = await ask("GET", "/v1/flows/f/graph")
    expect([r.status, r.body["code"]]).toEqual([422, "invalid_flow"])
    expect(r.body["errors"]).toContainEqual(expect.objectContaining({ code: "FV-STEPS" }))
  })
})

describe("scaffold", () => {
  test("[F24] only code steps have a scaffold, the first text of a handler", async () => {
    const { ask } = setUp()
    const steps = "  - { id: sum, type: code, outputs: [total] }\n  - { id: a, type: agent, agent: w }\n"
    await ask("PUT", "/v1/flows/f", { body: `name: f\ndescription: d\nsteps:\n${steps}` })
    const r = await ask("GET", "/v1/code/f/sum/scaffold")
    expect([r.status, r.headers.get("content-type")]).toEqual([200, "text/typescript; charset=utf-8"])
    expect(r.text).toMatch(/interface Output \{\n {2}total: Json\n\}/)
    for (const path of ["f/a", "f/none", "none/sum"]) expect((await ask("GET", `/v1/code/${path}/scaffold`)).status, path).toBe(404)
    expect((await ask("GET", "/v1/code/f/sum")).status).toBe(404)
  })
})

describe("schemas", () => {
  test.each(["flow", "agent"])("[F3] /v1/schemas/%s.json is a JSON Schema", async (name) => {
    const { ask } = setUp()
    const r = await ask("GET", `/v1/schemas/${name}.json`)
    expect([r.status, r.headers.get("content-type"), r.body["$schema"]]).toEqual([
      200,
      "application/schema+json",
      "http://json-schema.org/draft-07/schema#",
    ])
  })

  test.each(["flow", "skill.json", "flow.json.json", "constructor", "%2e%2e"])("[H2] /v1/schemas/%s is 404", async (name) => {
    const { ask } = setUp()
    expect((await ask("GET", `/v1/schemas/${name}`)).status).toBe(404)
  })
})
