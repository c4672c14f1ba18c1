// Going back: loop decisions, capped branches, reopened steps and kept counters.

import { describe, expect, test } from "vitest"
import { agent, decision, flowOf, loop, planOf } from "../../support/kernel/builders.ts"
import { choose, failed, finish, Shell } from "../../support/kernel/shell.ts"

/** Finishes `id` with `branch` each time it is open. */
function always(shell: Shell, id: string, branch: string): boolean {
  if (!shell.running().includes(id)) return false
  shell.reply(id, choose(branch))
  return true
}

describe("loop decisions", () => {
  test("[F17] the decider sees its iteration and its cap, loops, and exits", () => {
    const shell = new Shell(planOf(flowOf([agent("a"), loop("l", "a", "end", 3), agent("end")])))
    shell.reply("a", finish())
    expect(shell.state("l").session?.task).toBe("Again?\n\nIteration 1 of 3.")
    shell.reply("l", choose("loop"))
    shell.reply("a", finish())
    expect(shell.state("l").session?.task).toContain("Iteration 2 of 3.")
    shell.reply("l", choose("exit"))
    expect(shell.running()).toEqual(["end"])
    expect(shell.events("loop.iteration").map((e) => [e.iteration, e.max])).toEqual([
      [1, 3],
      [2, 3],
    ])
  })

  test("[F17] with cap N the decider is asked N times and the body runs N+1 times; then the exit is taken with no model call", () => {
    const shell = new Shell(planOf(flowOf([agent("a"), loop("l", "a", "end", 2), agent("end")])))
    for (let i = 0; i < 3; i++) {
      shell.reply("a", finish())
      always(shell, "l", "loop")
    }
    expect(shell.running()).toEqual(["end"])
    expect(shell.opened().filter((id) => id === "a")).toHaveLength(3)
    expect(shell.events("model.replied").filter((e) => e.step === "l")).toHaveLength(2)
    expect(shell.events("loop.exhausted")).toMatchObject([{ step: "l", iteration: 3, max: 2, target: "end" }])
    expect(shell.events("branch.taken").at(-1)).toMatchObject({ step: "l", branch: "exit", target: "end", by: "cap" })
  })

  test("[F17] the target step ids are synonyms of loop and exit", () => {
    const shell = new Shell(planOf(flowOf([agent("a"), loop("l", "a", "end", 2), agent("end")])))
    shell.reply("a", finish())
    shell.reply("l", choose("a"))
    shell.reply("a", finish())
    shell.reply("l", choose("end"))
    expect(shell.events("branch.taken").map((e) => e.branch)).toEqual(["loop", "exit"])
    expect(shell.running()).toEqual(["end"])
  })

  test("[F17] a loop may go back to the decider itself", () => {
    const shell = new Shell(planOf(flowOf([loop("l", "l", "end", 2), agent("end")])))
    shell.reply("l", choose("loop"))
    shell.reply("l", choose("loop"))
    expect(shell.running()).toEqual(["end"])
    expect(shell.state("l").pass).toBe(3)
  })

  test("[F19] an inner loop's counter restarts each time the outer loop goes back; its pass does not", () => {
    const steps = [agent("a"), loop("inner", "a", "mid", 1), agent("mid"), loop("outer", "a", "end", 1), agent("end")]
    const shell = new Shell(planOf(flowOf(steps)))
    for (let round = 0; round < 2; round++) {
      shell.reply("a", finish())
      expect(shell.state("inner").session?.task).toContain("Iteration 1 of 1.")
      shell.reply("inner", choose("loop"))
      shell.reply("a", finish())
      shell.reply("mid", finish())
      always(shell, "outer", "loop")
    }
    expect(shell.running()).toEqual(["end"])
    expect(shell.events("loop.exhausted").map((e) => e.step)).toEqual(["inner", "inner", "outer"])
    expect(shell.state("inner").pass).toBe(4)
    expect(shell.state("a").pass).toBe(4)
  })

  test("[F19] an inner branch's count restarts too", () => {
    const steps = [
      agent("a"),
      decision("inner", { again: "a", on: "mid" }, { max_iterations: 1 }),
      agent("mid"),
      loop("outer", "a", "end", 1),
      agent("end"),
    ]
    const shell = new Shell(planOf(flowOf(steps)))
    for (let round = 0; round < 2; round++) {
      shell.reply("a", finish())
      shell.reply("inner", choose("again"))
      expect(shell.running()).toEqual(["a"])
      shell.reply("a", finish())
      shell.reply("inner", choose("again"))
      shell.reply("mid", finish())
      always(shell, "outer", "loop")
    }
    expect(shell.running()).toEqual(["end"])
    expect(shell.events("loop.exhausted").map((e) => e.step)).toEqual(["inner", "inner", "outer"])
  })

  test("[F41] a template shows how often the loop was entered; 0 before its first decision", () => {
    const shell = new Shell(
      planOf(flowOf([agent("a", { task: "${{loop.l.iteration}} of ${{loop.l.max}}" }), loop("l", "a", "end", 2), agent("end")])),
    )
    expect(shell.state("a").session?.task).toBe("0 of 2")
    shell.reply("a", finish())
    shell.reply("l", choose("loop"))
    expect(shell.state("a").session?.task).toBe("1 of 2")
  })
})

describe("capped branches", () => {
  const back = (more = {}) => [
    agent("a"),
    decision("d", { again: "a", stop: "end", other: "more" }, { max_iterations: 2, ...more }),
    agent("end"),
    agent("more"),
  ]

  function exhaust(shell: Shell): void {
    for (let i = 0; i < 3; i++) {
      shell.reply("a", finish())
      shell.reply("d", choose("again"))
    }
  }

  test("[F18] each backward branch may be taken max_iterations times, then the first forward branch is taken by the cap", () => {
    const shell = new Shell(planOf(flowOf(back())))
    exhaust(shell)
    expect(shell.opened().filter((id) => id === "a")).toHaveLength(3)
    expect(shell.events("loop.iteration").map((e) => e.iteration)).toEqual([1, 2])
    expect(shell.events("loop.exhausted")).toMatchObject([{ step: "d", iteration: 3, max: 2, target: "end" }])
    expect(shell.events("branch.taken").at(-1)).toMatchObject({ branch: "stop", target: "end", by: "cap" })
    expect(shell.running()).toEqual(["end"])
  })

  test("[F18] on_exhausted names the branch to take instead", () => {
    const shell = new Shell(planOf(flowOf(back({ on_exhausted: "other" }))))
    exhaust(shell)
    expect(shell.running()).toEqual(["more"])
    expect(shell.statuses()["end"]).toBe("skipped")
  })

  test("[F18] with no forward branch the run falls through", () => {
    const shell = new Shell(planOf(flowOf([agent("a"), decision("d", { again: "a" }, { max_iterations: 1 }), agent("end")])))
    for (let i = 0; i < 2; i++) {
      shell.reply("a", finish())
      shell.reply("d", choose("again"))
    }
    expect(shell.events("loop.exhausted")).toHaveLength(1)
    expect(shell.running()).toEqual(["end"])
  })

  test("[F18] each branch has its own count", () => {
    const steps = [
      agent("a"),
      agent("b", { blockedBy: ["a"] }),
      decision("d", { one: "a", two: "b", stop: "end" }, { max_iterations: 1 }),
      agent("end"),
    ]
    const shell = new Shell(planOf(flowOf(steps)))
    const both = (): void => {
      if (shell.running().includes("a")) shell.reply("a", finish())
      shell.reply("b", finish())
    }
    both()
    shell.reply("d", choose("one"))
    both()
    shell.reply("d", choose("two"))
    expect(shell.running()).toEqual(["b"])
    both()
    shell.reply("d", choose("two"))
    expect(shell.running()).toEqual(["end"])
  })

  test("[F18] a label that is also a JavaScript property name counts like any other", () => {
    const shell = new Shell(
      planOf(flowOf([agent("a"), decision("d", { toString: "a", valueOf: "end" }, { max_iterations: 1 }), agent("end")])),
    )
    for (let i = 0; i < 2; i++) {
      shell.reply("a", finish())
      shell.reply("d", choose("toString"))
    }
    expect(shell.running()).toEqual(["end"])
  })

  test("[F18] without a cap an agent cannot go back: the check refuses such a flow, and the kernel enforces it too", () => {
    const shell = new Shell(planOf(flowOf([agent("a"), decision("d", { again: "a", stop: "end" }), agent("end")])))
    shell.reply("a", finish())
    shell.reply("d", choose("again"))
    expect(shell.running()).toEqual(["end"])
  })
})

describe("going back", () => {
  test("[F19] the target's active set and every segment up to the decider are reopened; outside steps keep their results", () => {
    const steps = [
      agent("out"),
      agent("t"),
      agent("w", { blockedBy: ["t"] }),
      decision("mid", { x: "c" }),
      agent("c"),
      loop("l", "t", "end", 2),
      agent("end"),
    ]
    const shell = new Shell(planOf(flowOf(steps)))
    shell.reply("out", finish())
    shell.reply("t", finish())
    shell.reply("w", finish())
    shell.reply("mid", choose("x"))
    shell.reply("c", finish())
    shell.reply("l", choose("loop"))
    expect(shell.events("step.reopened").map((e) => e.step)).toEqual(["t", "w", "mid", "c", "l"])
    expect(shell.statuses()).toMatchObject({
      out: "complete",
      t: "running",
      w: "pending",
      mid: "pending",
      c: "pending",
      l: "pending",
      end: "pending",
    })
    expect(shell.state("out").pass).toBe(1)
    expect(shell.state("t").pass).toBe(2)
  })

  test("[F19] a reopened step's result is its previous pass until it finishes again", () => {
    const shell = new Shell(
      planOf(
        flowOf([
          agent("a", { task: "before: ${{result.b.summary}}" }),
          agent("b", { blockedBy: ["a"] }),
          loop("l", "a", "end", 2),
          agent("end"),
        ]),
      ),
    )
    shell.reply("a", finish())
    shell.reply("b", finish({ summary: "first" }))
    shell.reply("l", choose("loop"))
    expect(shell.state("a").session?.task).toBe("before: first")
    shell.reply("a", finish())
    shell.reply("b", finish({ summary: "second" }))
    shell.reply("l", choose("loop"))
    expect(shell.state("a").session?.task).toBe("before: second")
  })

  test("[F19] a late reply to an earlier pass is refused", () => {
    const shell = new Shell(planOf(flowOf([agent("a"), loop("l", "a", "end", 2), agent("end")])))
    const first = shell.flying("a", "/model")
    shell.reply("a", finish())
    shell.reply("l", choose("loop"))
    const { flights } = shell
    expect(flights.has("a/2/0/model")).toBe(true)
    expect(shell.tell({ type: "lost", key: first })).toEqual({ ok: false, error: { code: "stale" } })
  })

  test("[F15b] steps excluded by a choice outside the loop stay excluded when the loop goes back", () => {
    const steps = [
      decision("d", { x: "a", y: "b" }),
      agent("a"),
      decision("b", { x: "c", y: "c" }),
      agent("c"),
      loop("l", "a", "end", 2),
      agent("end"),
    ]
    const shell = new Shell(planOf(flowOf(steps)))
    shell.reply("d", choose("x"))
    for (let round = 0; round < 2; round++) {
      shell.reply("a", finish())
      expect(shell.statuses()).toMatchObject({ b: "skipped", c: "skipped" })
      shell.reply("l", choose("loop"))
    }
    expect(shell.state("b").pass).toBe(3)
    expect(shell.opened()).not.toContain("b")
  })

  test("[F18] a failed decider does not count as a way back", () => {
    const shell = new Shell(
      planOf(flowOf([agent("a"), decision("d", { again: "a", stop: "end" }, { max_iterations: 1, on_error: "end" }), agent("end")])),
    )
    shell.reply("a", finish())
    shell.reply("d", failed())
    expect(shell.running()).toEqual(["end"])
    expect(shell.events("loop.iteration")).toEqual([])
  })
})
