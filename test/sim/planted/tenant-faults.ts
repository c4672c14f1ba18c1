// The faults of the shell that a review proved, put back alone: those of a tenant's object, its queue, slices, desks and deletion.

import { known, type PlantedFault } from "./fault.ts"

const TAKE = "src/protocols/shared/take-message.ts"

export const TENANT_FAULTS: readonly PlantedFault[] = [
  {
    name: "a queued delivery is lost after two minutes",
    patches: [known("H6 give a queued run up although a delivery owes it"), known("H6 forget a held start whose row is gone")],
  },
  {
    // The loop had ended before a claim counted as lost, which had no age.
    name: "one lost start makes a thread refuse all messages",
    patches: [
      known("P7 keep a claim whose run never came"),
      { file: TAKE, from: `while (races < RACES)`, to: `while (races + looks < RACES)` },
      {
        file: TAKE,
        from: `if (thread !== undefined && !(begun?.ok === true && begun.value.run === id)) await runList.release(flow, thread, id)`,
        to: ``,
      },
    ],
  },
  {
    name: "an old deletion deletes the next tenant of the name",
    // Whoever lives under the name is deleted; where nobody does, there is nothing to do.
    patches: [
      {
        file: "src/cloudflare/tenant/tenancy-room.ts",
        from: `if (!account.isOf(created)) return`,
        to: `if (!account.isOf(created) && account.since() === undefined) return`,
      },
      {
        file: "src/cloudflare/clients/tenants.ts",
        from: `await directoryStub(env).remove({ id, created })`,
        to: `await directoryStub(env).remove({ id, created: (await directoryStub(env).find(id))?.created ?? created })`,
      },
    ],
  },
  {
    name: "a slice that is on its way when a run ends is lost",
    patches: [known("B4 grant a slice to a run that has ended"), known("B4 give back only of the day that the run knows")],
  },
  { name: "a sweep forgets a newer retention", patches: [known("H6 write the place of a sweep over a newer one")] },
  { name: "one broken object holds up a sweep", patches: [known("J12 stop a sweep at the first run that fails")] },
  {
    name: "the use of a key recalls all desks",
    patches: [known("F71 recall the desks when a key is used")],
    costs: { method: "recall", times: 1.5 },
  },
  {
    name: "a late report of a desk makes rows in a deleted tenant",
    patches: [
      known("N3 keep a desk's late report of a deleted tenant"),
      known("N3 list runs of the tenant that had the name before"),
      known("N3 let anyone begin the storage of a deleted tenant"),
    ],
  },
  { name: "a clock that is set back keeps revoked keys good", patches: [known("S18 take an answer of the future for a young one")] },
]
