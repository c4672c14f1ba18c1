// A fork that reads its source and takes what it needs of the tenant, while one of the two dies [K7–K14]: it is there whole, or nothing of it is.

import { expect } from "vitest"
import { CATALOG } from "../../support/worker/service-client.ts"
import { aborted, type House, type Kind } from "./kinds.ts"

const SETUP = { tenant: "aborts-forks", catalog: CATALOG }

const fork =
  (call: string, more?: (house: House) => Partial<Kind>) =>
  (house: House): Kind => {
    let [source, id]: (string | undefined)[] = []
    return {
      call,
      from: () => house.aborts.forking,
      async begin() {
        source = await house.start("quick")
        await house.soon(() => house.isOver(source ?? ""))
        id = (await house.t.ask<{ id: string }>("POST", `/v1/runs/${source}/fork`, {})).id
      },
      async isAtRest() {
        const begun = house.aborts.forking.split("/")[1] ?? ""
        return (await house.aborts.events(begun)).length === 0 || house.isOver(begun)
      },
      async holds() {
        if (id !== undefined) expect(await house.isOver(id)).toBe(true)
        const plans = await house.aborts.rows<{ run: string }>("SELECT run FROM plan")
        expect(plans).toEqual([])
      },
      ...more?.(house),
    }
  }

aborted(SETUP, {
  "a fork asks for its source": fork("source.offer"),
  "a fork reads a page of its source": fork("source.prefix"),
  "a fork asks for its ground": fork("starts.groundFork"),
  "a fork takes a place": fork("starts.place"),
  "a fork takes a slice of the day": fork("dayBudget.lease", (house) => ({ is: ([run]) => house.aborts.forking.endsWith(String(run)) })),
  "a fork copies plans": fork("plans.copy"),
})
