// Segments, scheduling, routes within and out of a segment [F10–F14].
import { agent, agents, assert, done, fail, flow, order } from "../kit.mjs";
import { asksOf, ref, statuses } from "../kit-flows.mjs";

const base = agents(agent("a"), agent("b"), agent("c"), agent("slow"), agent("bad"), agent("bad2"), agent("judge"));

export default [
  {
    rule: "F10", name: "neighboring agent steps run side by side; every other step is its own segment, in file order",
    catalog: { agents: base, flows: { "f.yaml": flow("f", `
  - { id: one, type: agent, agent: slow }
  - { id: two, type: agent, agent: slow }
  - { id: gate, type: conditional, check: one.summary, present: three, absent: three }
  - { id: three, type: agent, agent: slow }
  - { id: four, type: agent, agent: slow, blockedBy: three }
`) } },
    model: { slow: [{ ...done(), delayMs: 900 }] },
    run: { flow: "f", task: "go" },
    expect({ run, events, requests }) {
      assert.equal(run.status, "succeeded");
      assert.deepEqual(requests.map((r) => r.runningThen), [1, 2, 1, 1]);
      const end = Math.max(order(events, "step.finished", "one"), order(events, "step.finished", "two"));
      assert.ok(end < order(events, "step.opened", "gate"), "the separator waits for its neighbours");
      assert.ok(order(events, "step.finished", "gate") < order(events, "step.opened", "three"));
    },
  },
  {
    rule: "F11", name: "with room for one, ready steps start in file order",
    catalog: { agents: base, flows: { "f.yaml": flow("f", `
  - { id: z, type: agent, agent: a }
  - { id: late, type: agent, agent: a, blockedBy: z }
  - { id: m, type: agent, agent: a }
  - { id: b, type: agent, agent: a }
`, "max_concurrent: 1") } },
    model: { a: [{ ...done(), delayMs: 60 }] },
    run: { flow: "f", task: "go" },
    expect({ run, of, model }) {
      assert.equal(run.status, "succeeded");
      assert.deepEqual(of("step.opened").map((e) => e.step), ["z", "late", "m", "b"]);
      assert.equal(model.maxRunning, 1);
    },
  },
  {
    rule: "F11", name: "four steps of a segment run at once by default",
    catalog: { agents: base, flows: { "f.yaml": flow("f", ["p", "q", "r", "s", "t", "u"].map((id) => `  - { id: ${id}, type: agent, agent: slow }\n`).join("")) } },
    model: { slow: [{ ...done(), delayMs: 1_500 }] },
    run: { flow: "f", task: "go" },
    expect({ run, model }) {
      assert.equal(run.status, "succeeded");
      assert.equal(model.maxRunning, 4);
    },
  },
  {
    rule: "F12", name: "a step that was skipped in another segment delays no other step",
    catalog: { agents: base, flows: { "f.yaml": flow("f", `
  - { id: pick, type: agent-decision, agent: judge, branches: { far: t, near: x } }
  - { id: x, type: agent, agent: b }
  - { id: gate, type: conditional, check: x.summary, present: y, absent: y }
  - { id: y, type: agent, agent: b }
  - { id: t, type: agent, agent: a, blockedBy: x }
`) } },
    model: { judge: [done("so", { branch: "far" })], a: [done("ran")], b: [done()] },
    run: { flow: "f", task: "go" },
    expect({ run, requests }) {
      assert.equal(run.status, "succeeded");
      assert.deepEqual(statuses(run), { pick: "complete", x: "skipped", gate: "skipped", y: "skipped", t: "complete" });
      assert.equal(asksOf(requests, "b").length, 0);
    },
  },
  {
    rule: "F12", name: "a failed and handled step releases the steps that wait for it",
    catalog: { agents: base, flows: { "f.yaml": flow("f", `
  - { id: broken, type: agent, agent: bad, on_error: help }
  - { id: help, type: agent, agent: a }
  - { id: after, type: agent, agent: b, blockedBy: [broken, help], task: "[${ref("result.broken.status")}][${ref("result.help.summary")}]" }
`) } },
    model: { bad: [fail("no")], a: [done("helped")], b: [done()] },
    run: { flow: "f", task: "go" },
    expect({ run, requests }) {
      assert.equal(run.status, "succeeded");
      assert.deepEqual(statuses(run), { broken: "error", help: "complete", after: "complete" });
      assert.match(asksOf(requests, "b")[0].user, /\[error\]\[helped\]/);
    },
  },
  {
    rule: "F13", name: "a route wakes its target and every step that depends on it; the rest of the segment is skipped",
    catalog: { agents: base, flows: { "f.yaml": flow("f", `
  - { id: pick, type: agent-decision, agent: judge, branches: { left: l1, right: r1 } }
  - { id: l1, type: agent, agent: a }
  - { id: l2, type: agent, agent: a, blockedBy: l1 }
  - { id: r1, type: agent, agent: b }
  - { id: both, type: agent, agent: a, blockedBy: [l2, r1] }
  - { id: alone, type: agent, agent: b }
`) } },
    model: { judge: [done("so", { branch: "left" })], a: [done()], b: [done()] },
    run: { flow: "f", task: "go" },
    expect({ run, requests }) {
      assert.deepEqual(statuses(run), { pick: "complete", l1: "complete", l2: "complete", r1: "skipped", both: "complete", alone: "skipped" });
      assert.equal(asksOf(requests, "b").length, 0);
    },
  },
  {
    rule: "F13", name: "a route within the segment narrows it: running steps finish and keep their results; steps that waited for the router but not the target are skipped",
    catalog: { agents: base, flows: { "f.yaml": flow("f", `
  - { id: broken, type: agent, agent: bad, on_error: help }
  - { id: beside, type: agent, agent: slow }
  - { id: later, type: agent, agent: b, blockedBy: broken }
  - { id: help, type: agent, agent: a }
  - { id: tail, type: agent, agent: c, blockedBy: help }
`, "max_concurrent: 2") } },
    model: { bad: [fail("no")], slow: [{ ...done("kept"), delayMs: 700 }], a: [done()], b: [done()], c: [done()] },
    run: { flow: "f", task: "go" },
    expect({ run, requests }) {
      assert.equal(run.status, "succeeded");
      assert.equal(run.steps.beside.summary, "kept");
      assert.deepEqual(statuses(run), { broken: "error", beside: "complete", later: "skipped", help: "complete", tail: "complete" });
      assert.equal(asksOf(requests, "b").length, 0);
    },
  },
  {
    rule: "F13", name: "a target with a result in this pass is not run again",
    catalog: { agents: base, flows: { "f.yaml": flow("f", `
  - { id: q, type: agent, agent: a }
  - { id: broken, type: agent, agent: bad, on_error: t }
  - { id: t, type: agent, agent: b, blockedBy: q }
`) } },
    model: { bad: [{ ...fail("late"), delayMs: 2_500 }], a: [done()], b: [done("once")] },
    run: { flow: "f", task: "go" },
    expect({ run, requests }) {
      assert.equal(run.status, "succeeded");
      assert.equal(asksOf(requests, "b").length, 1);
      assert.deepEqual(statuses(run), { q: "complete", broken: "error", t: "complete" });
      assert.equal(run.steps.t.pass, 1);
    },
  },
  {
    rule: "F13", name: "the choice is forgotten on leaving the segment: when a run falls into it again, all of it runs",
    catalog: { agents: base, flows: { "f.yaml": flow("f", `
  - { id: pick, type: agent-decision, agent: judge, branches: { one: x, none: fin } }
  - { id: before, type: wait, for: 1 }
  - { id: x, type: agent, agent: a }
  - { id: y, type: agent, agent: b }
  - { id: check, type: agent-decision, agent: slow, branches: { redo: before, end: fin }, max_iterations: 1 }
  - { id: fin, type: agent, agent: c }
`) } },
    model: { judge: [done("so", { branch: "one" })], slow: [done("again", { branch: "redo" }), done("ok", { branch: "end" })], a: [done()], b: [done("at last")], c: [done()] },
    run: { flow: "f", task: "go" },
    expect({ run, of, requests }) {
      assert.equal(run.status, "succeeded");
      assert.deepEqual(of("step.skipped").map((e) => e.step), ["before", "y"], "the route into the segment woke x alone");
      assert.deepEqual([run.steps.x.pass, run.steps.y.status, run.steps.y.summary], [2, "complete", "at last"]);
      assert.deepEqual([asksOf(requests, "a").length, asksOf(requests, "b").length], [2, 1]);
    },
  },
  {
    rule: "F14", name: "a step that routes out: its waiters are skipped, its siblings all run, then the route is taken",
    catalog: { agents: base, flows: { "f.yaml": flow("f", `
  - { id: broken, type: agent, agent: bad, on_error: rescue }
  - { id: waits, type: agent, agent: b, blockedBy: broken }
  - { id: waits2, type: agent, agent: b, blockedBy: waits }
  - { id: s1, type: agent, agent: slow }
  - { id: s2, type: agent, agent: a, blockedBy: s1 }
  - { id: gate, type: conditional, check: s2.summary, present: rescue, absent: rescue }
  - { id: rescue, type: agent, agent: c, task: "[${ref("result.s2.summary")}]" }
`) } },
    model: { bad: [fail("no")], slow: [{ ...done("s"), delayMs: 500 }], a: [done("sibling")], b: [done()], c: [done()] },
    run: { flow: "f", task: "go" },
    expect({ run, events, requests }) {
      assert.equal(run.status, "succeeded");
      assert.deepEqual(statuses(run), { broken: "error", waits: "skipped", waits2: "skipped", s1: "complete", s2: "complete", gate: "skipped", rescue: "complete" });
      assert.ok(order(events, "step.finished", "s2") < order(events, "branch.taken", "broken"), "all results before the route");
      assert.match(asksOf(requests, "c")[0].user, /\[sibling\]/);
    },
  },
  {
    rule: "F14", name: "of two routers the first in the file wins, not the faster; the other is a warning",
    catalog: { agents: base, flows: { "f.yaml": flow("f", `
  - { id: first, type: agent, agent: bad, on_error: r1 }
  - { id: second, type: agent, agent: bad2, on_error: r2 }
  - { id: gate, type: conditional, check: first.summary, present: r1, absent: r1 }
  - { id: r1, type: agent, agent: a }
  - { id: r2, type: agent, agent: b }
`) } },
    model: { bad: [{ ...fail("slowly"), delayMs: 500 }], bad2: [fail("at once")], a: [done()], b: [done()] },
    run: { flow: "f", task: "go" },
    expect({ run, of }) {
      assert.equal(run.status, "succeeded");
      assert.deepEqual(statuses(run), { first: "error", second: "error", gate: "skipped", r1: "complete", r2: "skipped" });
      const said = of("warning").filter((w) => w.code === "route_ignored");
      assert.deepEqual(said.map((w) => w.step), ["second"]);
    },
  },
];
