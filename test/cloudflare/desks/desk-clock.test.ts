// A desk's lease when its clock is set back [F71].

import { expect, test } from "vitest"
import { StartDesk, type DeskDeps } from "../../../src/cloudflare/desks/desk.ts"

test("[F71] a clock that is set back gives a lease no more time", async () => {
  let [now, reports, asked] = [1_000_000, 0, 0]
  const limits = { concurrent: { quota: 10, left: 10 }, starts: { quota: 10, left: 10, reset: 1 } }
  const tenant = {
    report: async ({ wants }: { readonly wants: boolean }) => ({
      recalled: 0,
      noted: [],
      ...(wants && reports++ === 0 ? { lease: { number: 1, ground: "g", places: 0, desks: 1, limits } } : {}),
    }),
    verify: async () => void asked++,
  }
  const desk = new StartDesk({
    number: 0,
    epoch: "e",
    tenant,
    clean: async (said: unknown) => said,
    later: (work: Promise<unknown>) => void work,
    meet: () => false,
    now: () => now,
    pause: async () => undefined,
  } as unknown as DeskDeps)
  expect([await desk.verify("k"), asked]).toEqual(["none", 1])
  now += 2_000
  expect([await desk.verify("k"), asked]).toEqual(["none", 2])
  now -= 1_500
  expect([await desk.verify("k"), asked]).toEqual(["ask", 2])
})
