// Which model a try of a recorded turn asks [K19].

import { describe, expect, test } from "vitest"
import { triedModel } from "../../../src/engine/catalog/pin/tried-model.ts"

const settings = { providers: ["p", "q"], roles: { fast: "q/small", deep: "p/large:high" } }

describe("the model of a try", () => {
  test.each([
    ["p/m:low", {}, "p/m:low"],
    ["p/m", { thinking: "high" }, "p/m:high"],
    ["p/m:low", { thinking: "off" }, "p/m:off"],
    ["p/m:low", { model: "q/n" }, "q/n:low"],
    ["p/m:low", { model: "q/n:max" }, "q/n:max"],
    ["p/m:low", { model: "q/n:max", thinking: "minimal" }, "q/n:minimal"],
    ["p/m", { model: "q/n" }, "q/n"],
    ["p/m:low", { model: "@fast" }, "q/small:low"],
    ["p/m:low", { model: "@deep" }, "p/large:high"],
    ["p/m:low", { model: "rehearsal/default" }, "rehearsal/default"],
    ["rehearsal/default", { thinking: "high" }, "rehearsal/default"],
    // Its provider may be gone: whoever asks it says so.
    ["gone/m:low", {}, "gone/m:low"],
  ] as const)("[K19] %s with %o asks %s", (recorded, wish, asked) => {
    expect(triedModel(recorded, wish, settings)).toEqual({ ok: true, value: asked })
  })

  test.each(["r/m", "m", "@"])("[K19] [F52] %s is refused with what to do", (model) => {
    expect(triedModel("p/m", { model }, settings)).toMatchObject({ ok: false, error: expect.stringContaining("PUT /v1/settings/") })
  })
})
