// Where a run goes when a step routes: forward, inside a segment, past other steps, and what a choice excludes.

import { describe, expect, test } from "vitest"
import { agent, conditional, decision, flowOf, loop, planOf } from "../../support/kernel/builders.ts"
import { call, choose, failed, finish, Shell } from "../../support/kernel/shell.ts"

describe("routing", () => {
  test("[F13] a route activates its target and the steps that wait for it; the rest of that segment and the steps in between are skipped", () => {
    const steps = [
      decision("d", { x: "t" }),
      agent("over"),
      decision("also", { x: "t" }),
      agent("sibling"),
      agent("t"),
      agent("after", { blockedBy: ["t"] }),
    ]
    const shell = new Shell(planOf(flowOf(steps)))
    shell.reply("d", choose("x"))
    expect(shell.statuses()).toMatchObject({ over: "skipped", also: "skipped", sibling: "skipped", t: "running", after: "pending" })
    shell.reply("t", finish())
    expect(shell.running()).toEqual(["after"])
  })

  test("[F13] leaving a segment clears its active set: the next segment runs whole", () => {
    const shell = new Shell(
      planOf(
        flowOf([
          decision("d", { x: "b" }),
          agent("a"),
          agent("b"),
          decision("e", { y: "p" }),
          agent("p"),
          agent("q", { blockedBy: ["p"] }),
        ]),
      ),
    )
    shell.reply("d", choose("x"))
    shell.reply("b", finish())
    expect(shell.running()).toEqual(["e"])
    shell.reply("e", choose("y"))
    expect(shell.running()).toEqual(["p"])
  })

  test("[F13] a result stays when the run jumps over its step", () => {
    const shell = new Shell(
      planOf(
        flowOf([agent("a", { on_complete: "z" }), agent("b"), decision("d", { x: "z" }), agent("z", { task: "${{result.b.summary}}" })]),
      ),
    )
    shell.reply("b", finish({ summary: "kept" }))
    shell.reply("a", finish())
    expect(shell.statuses()).toMatchObject({ a: "complete", b: "complete", d: "skipped", z: "running" })
    expect(shell.state("z").session?.task).toBe("kept")
  })

  test("[F13] a route inside the segment narrows it once its running steps have ended", () => {
    const steps = [agent("a", { on_complete: "c" }), agent("b"), agent("c"), agent("d"), agent("e", { blockedBy: ["c"] })]
    const shell = new Shell(planOf(flowOf(steps, { max_concurrent: 2 })))
    shell.reply("a", finish())
    expect(shell.running()).toEqual(["b", "c"])
    shell.reply("b", finish())
    shell.reply("c", finish())
    shell.reply("d", finish())
    shell.reply("e", finish())
    expect(shell.run.status).toBe("succeeded")
    expect(shell.opened().filter((id) => id === "c")).toHaveLength(1)
  })

  test("[F13] narrowing skips steps that waited only for the step that routed", () => {
    const steps = [agent("a", { on_complete: "c" }), agent("b", { blockedBy: ["a"] }), agent("c", { blockedBy: ["a"] })]
    const shell = new Shell(planOf(flowOf(steps)))
    shell.reply("a", finish())
    expect(shell.statuses()).toMatchObject({ b: "skipped", c: "running" })
  })

  test("[F13] a target that has a result of this pass is not run again", () => {
    const shell = new Shell(planOf(flowOf([agent("a", { on_complete: "b" }), agent("b")])))
    shell.reply("b", finish())
    shell.reply("a", finish())
    expect(shell.run.status).toBe("succeeded")
    expect(shell.opened()).toEqual(["a", "b"])
  })

  test("[F14] steps that wait for a step that routed out are skipped, the others still run, then the route is taken", () => {
    const steps = [
      agent("a", { on_complete: "z" }),
      agent("b", { blockedBy: ["a"] }),
      agent("c", { blockedBy: ["b"] }),
      agent("d"),
      agent("e", { blockedBy: ["d"] }),
      decision("k", { x: "z" }),
      agent("z"),
    ]
    const shell = new Shell(planOf(flowOf(steps)))
    shell.reply("a", finish())
    shell.reply("d", finish())
    expect(shell.running()).toEqual(["e"])
    shell.reply("e", finish({ summary: "stored" }))
    expect(shell.statuses()).toMatchObject({ b: "skipped", c: "skipped", e: "complete", k: "skipped", z: "running" })
  })

  test("[F14] which steps run does not depend on a sibling's speed", () => {
    const steps = [agent("a", { on_complete: "z" }), agent("b"), agent("c"), decision("k", { x: "z" }), agent("z")]
    for (const order of [
      ["a", "b", "c"],
      ["c", "b", "a"],
      ["b", "a", "c"],
    ]) {
      const shell = new Shell(planOf(flowOf(steps, { max_concurrent: 1 })))
      for (const _ of order) for (const id of order) if (shell.running().includes(id)) shell.reply(id, finish())
      expect(shell.statuses()).toMatchObject({ a: "complete", b: "complete", c: "complete", k: "skipped", z: "running" })
    }
  })

  test("[F14] when several steps route, the first in the file wins and the others become warnings", () => {
    const steps = [agent("a", { on_error: "y" }), agent("b", { on_complete: "z" }), decision("d", { x: "y" }), agent("y"), agent("z")]
    const shell = new Shell(planOf(flowOf(steps)))
    shell.reply("b", finish())
    shell.reply("a", failed())
    expect(shell.events("branch.taken")).toMatchObject([{ step: "a", target: "y", by: "error" }])
    expect(shell.events("warning")).toMatchObject([{ code: "route_ignored", step: "b" }])
    expect(shell.statuses()).toMatchObject({ y: "running", z: "skipped" })
  })

  test("[F16] on_complete routes forward, past the steps in between", () => {
    const shell = new Shell(planOf(flowOf([agent("a", { on_complete: "z" }), decision("d", { x: "z" }), agent("z")])))
    shell.reply("a", finish())
    expect(shell.events("branch.taken")).toMatchObject([{ step: "a", branch: "on_complete", target: "z", by: "complete" }])
    expect(shell.statuses()).toMatchObject({ d: "skipped", z: "running" })
  })

  test("[F16] on_complete applies only to completion", () => {
    const shell = new Shell(
      planOf(flowOf([agent("a", { on_complete: "z", on_error: "b" }), decision("d", { x: "z" }), agent("b"), agent("z")])),
    )
    shell.reply("a", failed())
    expect(shell.statuses()).toMatchObject({ b: "running", z: "skipped" })
  })
})

describe("branch exclusivity", () => {
  const branches = { left: "l", right: "r" }

  test("[F15] after branch A the run does not fall into branch B", () => {
    const shell = new Shell(planOf(flowOf([decision("d", branches), agent("l"), decision("gap", { x: "r" }), agent("r")])))
    shell.reply("d", choose("left"))
    shell.reply("l", finish())
    shell.reply("gap", finish({ status: "error", summary: "stop" }))
    expect(shell.statuses()).toMatchObject({ l: "complete", r: "canceled" })
  })

  test("[F15b] an excluded step is skipped across segments, with steps that depend only on it", () => {
    const steps = [
      decision("d", branches),
      agent("l"),
      conditional("mid", "l", "end", "end", "summary"),
      agent("r"),
      agent("r2", { blockedBy: ["r"] }),
      agent("end"),
    ]
    const shell = new Shell(planOf(flowOf(steps)))
    shell.reply("d", choose("left"))
    shell.reply("l", finish())
    expect(shell.statuses()).toMatchObject({ r: "skipped", r2: "skipped", end: "running" })
  })

  test("[F15b] falling through skips excluded steps and steps that only they lead to, and continues after them", () => {
    const steps = [
      decision("d", { left: "l", mid: "k", right: "r" }),
      agent("l"),
      decision("k", { x: "k2", y: "k2" }),
      decision("k2", { x: "end", y: "end" }),
      agent("r"),
      conditional("m", "l", "end", "end"),
      agent("end"),
    ]
    const shell = new Shell(planOf(flowOf(steps)))
    shell.reply("d", choose("left"))
    shell.reply("l", finish())
    expect(shell.statuses()).toMatchObject({ k: "skipped", k2: "skipped", r: "skipped", m: "complete", end: "running" })
    expect(shell.opened()).toEqual(["d", "l", "m", "end"])
  })

  test("[F15c] an explicit path from the chosen branch keeps the other target in", () => {
    const steps = [
      decision("d", branches),
      agent("l"),
      decision("gap", { x: "r", y: "end" }),
      agent("r", { blockedBy: ["l"] }),
      decision("gap2", { z: "end" }),
      agent("end"),
    ]
    const shell = new Shell(planOf(flowOf(steps)))
    shell.reply("d", choose("left"))
    shell.reply("l", finish())
    shell.reply("gap", choose("x"))
    expect(shell.running()).toEqual(["r"])
  })

  test("[F15c] a route that names the step ends its exclusion", () => {
    const steps = [decision("d", branches), agent("l", { on_error: "r" }), decision("gap", { x: "end" }), agent("r"), agent("end")]
    const shell = new Shell(planOf(flowOf(steps)))
    shell.reply("d", choose("left"))
    shell.reply("l", failed())
    expect(shell.running()).toEqual(["r"])
  })

  test("[F15c] an exclusion lasts until the decision is entered again", () => {
    const steps = [
      decision("d", branches),
      agent("l"),
      loop("again", "d", "end", 2),
      agent("r"),
      conditional("gap", "l", "end", "end"),
      agent("end"),
    ]
    const shell = new Shell(planOf(flowOf(steps)))
    shell.reply("d", choose("left"))
    shell.reply("l", finish())
    expect(shell.run.exclusions).toEqual({ d: ["r"] })
    shell.reply("again", choose("loop"))
    expect(shell.run.exclusions).toEqual({})
    shell.reply("d", choose("right"))
    expect(shell.statuses()).toMatchObject({ l: "skipped", again: "skipped", r: "running" })
  })

  test("[F15] a branch whose label is the name of another key excludes nothing by that key", () => {
    const steps = [
      decision("d", { on_error: "l", other: "r" }, { on_error: "safe" }),
      agent("l"),
      decision("gap", { x: "safe" }),
      agent("safe"),
      decision("gap2", { x: "r" }),
      agent("r"),
    ]
    const shell = new Shell(planOf(flowOf(steps)))
    shell.reply("d", failed())
    shell.reply("safe", finish())
    shell.reply("gap2", choose("x"))
    shell.reply("r", finish())
    expect(shell.run.status).toBe("succeeded")
    expect(shell.run.exclusions["d"] ?? []).toEqual([])
  })
})

describe("steps that only an error leads to", () => {
  test("[F15e] such a step in the segment is skipped when nothing failed", () => {
    const shell = new Shell(planOf(flowOf([agent("a", { on_error: "rescue" }), agent("rescue"), agent("b")])))
    shell.reply("a", finish())
    expect(shell.statuses()).toMatchObject({ rescue: "skipped", b: "running" })
  })

  test("[F15e] such a step in the segment does not start beside the step that may fail to it", () => {
    const shell = new Shell(planOf(flowOf([agent("a", { on_error: "rescue" }), agent("rescue")])))
    expect(shell.running()).toEqual(["a"])
    shell.reply("a", failed())
    expect(shell.running()).toEqual(["rescue"])
    shell.reply("rescue", finish())
    expect(shell.run.status).toBe("succeeded")
  })

  test("[F15e] such a step in a later segment is not entered by falling through", () => {
    const shell = new Shell(
      planOf(
        flowOf([
          agent("a", { on_error: "rescue" }),
          decision("d", { x: "end" }),
          agent("rescue"),
          decision("e", { x: "end" }),
          agent("end"),
        ]),
      ),
    )
    shell.reply("a", finish())
    shell.reply("d", failed())
    expect(shell.run.status).toBe("failed")
    const other = new Shell(
      planOf(flowOf([agent("a", { on_error: "rescue" }), conditional("k", "a", "end", "end"), agent("rescue"), agent("end")])),
    )
    other.reply("a", finish())
    expect(other.statuses()).toMatchObject({ rescue: "skipped", end: "running" })
  })

  test("[F12] a join that names such a step waits until it is settled, either way", () => {
    const plan = planOf(flowOf([agent("a", { on_error: "rescue" }), agent("rescue"), agent("join", { blockedBy: ["rescue"] })]))
    const well = new Shell(plan)
    well.reply("a", finish())
    expect(well.statuses()).toMatchObject({ rescue: "skipped", join: "running" })
    const badly = new Shell(plan)
    badly.reply("a", failed())
    expect(badly.running()).toEqual(["rescue"])
    badly.reply("rescue", finish())
    expect(badly.running()).toEqual(["join"])
  })
})

describe("decisions and conditionals", () => {
  test("[F20] a branch that is not on the list is refused with the labels, and the agent may try again", () => {
    const shell = new Shell(planOf(flowOf([decision("d", { x: "a", y: "a" }), agent("a")])))
    shell.reply("d", choose("z"))
    const [rejected] = shell.events("finish.rejected")
    expect(JSON.stringify(rejected?.errors)).toContain("x, y")
    shell.reply("d", choose("y"))
    expect(shell.events("branch.taken")).toMatchObject([{ branch: "y", by: "agent" }])
  })

  test("[F20] an agent that never chooses fails the step hard, despite on_error: never the first branch", () => {
    const shell = new Shell(planOf(flowOf([decision("d", { x: "a", y: "a" }, { on_error: "a" }), agent("a")])))
    shell.reply("d", choose("z"))
    shell.reply("d", finish())
    shell.reply("d", "I cannot decide")
    expect(shell.run).toMatchObject({ status: "failed", error: { step: "d", source: "no_branch" } })
    expect(shell.run.error?.message).toContain("x, y")
  })

  test("[F20] finish(error) of a decision needs no branch and is a soft failure", () => {
    const shell = new Shell(planOf(flowOf([decision("d", { x: "a" }, { on_error: "b" }), agent("a"), agent("b")])))
    shell.reply("d", failed())
    expect(shell.statuses()).toMatchObject({ d: "error", a: "skipped", b: "running" })
  })

  test("[G5] a step that does not decide takes no branch", () => {
    const shell = new Shell(planOf(flowOf([agent("a")])))
    shell.reply("a", choose("x"))
    expect(shell.events("finish.rejected")).toHaveLength(1)
  })

  test("[F22] present is a value that is not empty after trimming", () => {
    for (const [artifacts, target] of [
      ["data", "yes"],
      ["  ", "no"],
      [undefined, "no"],
    ] as const) {
      const shell = new Shell(planOf(flowOf([agent("a"), conditional("k", "a", "yes", "no"), agent("yes"), agent("no")])))
      shell.reply("a", finish(artifacts === undefined ? {} : { artifacts }))
      expect(shell.running()).toEqual([target])
      expect(shell.events("branch.taken")).toMatchObject([{ step: "k", target, by: "check" }])
    }
  })

  test("[F22] a skipped step is absent for every field but status", () => {
    const steps = (field: string) => [
      decision("d", { x: "b" }),
      agent("a"),
      agent("b"),
      conditional("k", "a", "yes", "no", field),
      agent("yes"),
      agent("no"),
    ]
    for (const [field, target] of [
      ["summary", "no"],
      ["artifacts", "no"],
      ["status", "yes"],
    ] as const) {
      const shell = new Shell(planOf(flowOf(steps(field))))
      shell.reply("d", choose("x"))
      shell.reply("b", finish())
      expect(shell.running()).toEqual([target])
    }
  })

  test("[F13] a tool call and a route: the branch is taken when the decider's step ends", () => {
    const shell = new Shell(planOf(flowOf([decision("d", { x: "a" }), agent("a")])))
    shell.reply("d", call("look", { n: 1 }, "c0"), choose("x"))
    expect(shell.events("branch.taken")).toEqual([])
    shell.returns("d", "c0")
    expect(shell.running()).toEqual(["a"])
  })
})
