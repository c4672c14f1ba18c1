// Exclusivity, on_complete, loops, backward branches, what going back reopens, decisions [F15–F20].
import { agent, agents, assert, done, fail, flow } from "../kit.mjs";
import { toolResult } from "../model.mjs";
import { asksOf, check, clean, ref, statuses } from "../kit-flows.mjs";

const base = agents(agent("a"), agent("b"), agent("c"), agent("judge"), agent("judge2"), agent("bad"));
const loopEvents = (of) => of("loop.iteration").map((e) => [e.step, e.iteration, e.max, e.target]);

export default [
  {
    rule: "F15b", name: "after one branch the run does not fall into the other, or into steps that only the other leads to",
    catalog: { agents: base, flows: { "f.yaml": flow("f", `
  - { id: pick, type: agent-decision, agent: judge, branches: { one: x, two: y } }
  - { id: x, type: agent, agent: a }
  - { id: sep, type: wait, for: 1 }
  - { id: y, type: agent, agent: b }
  - { id: y2, type: agent, agent: b, blockedBy: y }
  - { id: end, type: agent, agent: c }
`) } },
    model: { judge: [done("so", { branch: "one" })], a: [done()], b: [done()], c: [done()] },
    run: { flow: "f", task: "go" },
    async expect({ run, requests, api }) {
      assert.equal(run.status, "succeeded");
      assert.deepEqual(statuses(run), { pick: "complete", x: "complete", sep: "complete", y: "skipped", y2: "skipped", end: "complete" });
      assert.equal(asksOf(requests, "b").length, 0);
      const c = await check(api, flow("x", `
  - { id: pick, type: fork, agent: judge, question: "?", options: [one, two], branches: { one: x, two: y } }
  - { id: x, type: agent, agent: a }
  - { id: g, type: agent-decision, agent: judge, branches: { l: e, r: e2 } }
  - { id: y, type: agent, agent: b }
  - { id: e, type: agent, agent: c }
  - { id: e2, type: agent, agent: c }
`));
      clean(c);
    },
  },
  {
    rule: "F15d", name: "the check warns where falling through would meet another branch, and shows the on_complete line",
    catalog: { agents: base },
    async expect({ api }) {
      const c = await check(api, flow("x", `
  - { id: pick, type: fork, agent: judge, question: "?", options: [one, two], branches: { one: x, two: y } }
  - { id: x, type: agent, agent: a }
  - { id: pause, type: wait, for: 1s }
  - { id: y, type: agent, agent: b }
  - { id: pause2, type: wait, for: 1s }
  - { id: end, type: agent, agent: c }
`));
      clean(c);
      const d = c.must("FV-BRANCH-FALL", "warning");
      assert.match(d.message, /"?y"?.*skipped/);
      assert.match(d.suggestion, /on_complete: \S+/);
    },
  },
  {
    rule: "F15c", name: "an explicit edge from the chosen branch into the other one counts",
    catalog: { agents: base, flows: {
      "f.yaml": flow("f", `
  - { id: pick, type: agent-decision, agent: judge, branches: { one: x, two: y } }
  - { id: x, type: agent, agent: a, on_complete: y }
  - { id: sep, type: wait, for: 1 }
  - { id: y, type: agent, agent: b }
`),
      "g.yaml": flow("g", `
  - { id: pick, type: agent-decision, agent: judge, branches: { one: x, two: y } }
  - { id: x, type: agent, agent: a }
  - { id: y, type: agent, agent: b, blockedBy: x }
`) } },
    model: { judge: [done("so", { branch: "one" })], a: [done()], b: [done()] },
    async expect({ api }) {
      const f = await api.settle(await api.start("f", { task: "go" }), [], 8_000);
      assert.deepEqual(statuses(f), { pick: "complete", x: "complete", sep: "skipped", y: "complete" });
      const g = await api.settle(await api.start("g", { task: "go" }), [], 8_000);
      assert.deepEqual(statuses(g), { pick: "complete", x: "complete", y: "complete" });
    },
  },
  {
    rule: "F15c", name: "a later route may name what an earlier decision excluded",
    catalog: { agents: base, flows: { "f.yaml": flow("f", `
  - { id: pick, type: agent-decision, agent: judge, branches: { one: x, two: y } }
  - { id: x, type: agent, agent: a }
  - { id: pick2, type: agent-decision, agent: judge2, branches: { visit: y, leave: end } }
  - { id: y, type: agent, agent: b }
  - { id: sep, type: wait, for: 1 }
  - { id: end, type: agent, agent: c }
`) } },
    model: { judge: [done("so", { branch: "one" })], judge2: [done("so", { branch: "visit" })], a: [done()], b: [done()], c: [done()] },
    run: { flow: "f", task: "go" },
    expect({ run }) {
      assert.equal(run.status, "succeeded");
      assert.deepEqual([run.steps.x.status, run.steps.y.status], ["complete", "complete"]);
    },
  },
  {
    rule: "F15c", name: "a conditional excludes too, and only until it is entered again",
    catalog: { agents: agents(agent("a", "outputs:\n  - found\n"), agent("b"), agent("c"), agent("judge")), flows: { "f.yaml": flow("f", `
  - { id: look, type: agent, agent: a }
  - { id: gate, type: conditional, check: look.found, present: yes-way, absent: no-way }
  - { id: yes-way, type: agent, agent: b }
  - { id: sep, type: wait, for: 1 }
  - { id: no-way, type: agent, agent: c }
  - { id: again, type: agent-decision, agent: judge, branches: { redo: look, end: fin }, max_iterations: 2 }
  - { id: fin, type: wait, for: 1 }
`) } },
    model: { a: [done("1", { found: "it" }), done("2")], b: [done()], c: [done()], judge: [done("r", { branch: "redo" }), done("e", { branch: "end" })] },
    run: { flow: "f", task: "go" },
    expect({ run, requests, of }) {
      assert.equal(run.status, "succeeded");
      assert.deepEqual(requests.map((r) => r.id), ["a", "b", "judge", "a", "c", "judge"]);
      assert.deepEqual(of("branch.taken").filter((e) => e.step === "gate").map((e) => [e.branch, e.target, e.by]), [["present", "yes-way", "check"], ["absent", "no-way", "check"]]);
    },
  },
  {
    rule: "F15e", name: "a step that only on_error leads to is not entered by falling through",
    catalog: { agents: base, flows: { "f.yaml": flow("f", `
  - { id: x, type: agent, agent: a, on_error: rescue }
  - { id: sep, type: wait, for: 1 }
  - { id: rescue, type: agent, agent: b }
  - { id: end, type: agent, agent: c }
`) } },
    model: { a: [done()], b: [done()], c: [done("reached")] },
    run: { flow: "f", task: "go" },
    expect({ run }) {
      assert.deepEqual(statuses(run), { x: "complete", sep: "complete", rescue: "skipped", end: "complete" });
      assert.equal(run.status, "succeeded");
    },
  },
  {
    rule: "F16", name: "on_complete skips the steps in between; backward it is an error that names decision loops",
    catalog: { agents: base, flows: { "f.yaml": flow("f", `
  - { id: x, type: agent, agent: a, on_complete: end }
  - { id: sep, type: wait, for: 1 }
  - { id: mid, type: agent, agent: b }
  - { id: end, type: agent, agent: c }
`) } },
    model: { a: [done()], b: [done()], c: [done()] },
    run: { flow: "f", task: "go" },
    async expect({ run, requests, api }) {
      assert.equal(run.status, "succeeded");
      assert.deepEqual(statuses(run), { x: "complete", sep: "skipped", mid: "skipped", end: "complete" });
      assert.deepEqual(requests.map((r) => r.id), ["a", "c"]);
      const c = await check(api, flow("x", "  - { id: x, type: agent, agent: a }\n  - { id: y, type: agent, agent: a, blockedBy: x, on_complete: x }\n"));
      const d = c.must("FV-ONCOMPLETE", "error");
      assert.equal(d.line, 5);
      assert.match(`${d.message} ${d.suggestion}`, /decision/);
    },
  },
  {
    rule: "F17", name: "the targets' ids count as loop and exit; a forced exit counts as a pass too",
    catalog: { agents: base, flows: { "f.yaml": flow("f", `
  - { id: build, type: agent, agent: a }
  - { id: again, type: agent-loop-decision, agent: judge, task: ok?, loop_target: build, exit_target: ship, max_iterations: 2 }
  - { id: ship, type: agent, agent: c, task: "${ref("loop.again.iteration")}/${ref("loop.again.max")}" }
`) } },
    model: { a: [done()], judge: [done("more", { branch: "build" }), done("more", { branch: "loop" })], c: [done()] },
    run: { flow: "f", task: "go" },
    expect({ run, of, requests }) {
      assert.equal(run.status, "succeeded");
      assert.equal(of("finish.rejected").length, 0);
      assert.deepEqual(loopEvents(of), [["again", 1, 2, "build"], ["again", 2, 2, "build"], ["again", 3, 2, "build"]]);
      assert.deepEqual(of("loop.exhausted").map((e) => [e.step, e.max, e.target]), [["again", 2, "ship"]]);
      assert.deepEqual(asksOf(requests, "judge")[0].body.tools.find((t) => t.function.name === "finish").function.parameters.required.includes("branch"), true);
      assert.equal(run.steps.build.pass, 3);
      assert.match(asksOf(requests, "c")[0].user, /3\/2/);
    },
  },
  {
    rule: "F17", name: "the exit target's id leaves the loop",
    catalog: { agents: base, flows: { "f.yaml": flow("f", `
  - { id: build, type: agent, agent: a }
  - { id: again, type: agent-loop-decision, agent: judge, task: ok?, loop_target: build, exit_target: ship, max_iterations: 3 }
  - { id: ship, type: agent, agent: c }
`) } },
    model: { a: [done()], judge: [done("fine", { branch: "ship" })], c: [done()] },
    run: { flow: "f", task: "go" },
    expect({ run, requests }) {
      assert.equal(run.status, "succeeded");
      assert.deepEqual(requests.map((r) => r.id), ["a", "judge", "c"]);
    },
  },
  {
    rule: "F18", name: "each backward branch is taken max_iterations times, then on_exhausted decides, with by: cap",
    catalog: { agents: base, flows: { "f.yaml": flow("f", `
  - { id: plan, type: agent, agent: c }
  - { id: sep, type: wait, for: 1 }
  - { id: build, type: agent, agent: a }
  - { id: review, type: agent-decision, agent: judge, branches: { replan: plan, redo: build, ship: good, drop: bad-end }, max_iterations: 1, on_exhausted: drop }
  - { id: good, type: agent, agent: b, on_complete: fin }
  - { id: sep2, type: wait, for: 1 }
  - { id: bad-end, type: agent, agent: b }
  - { id: fin, type: wait, for: 1 }
`) } },
    model: { a: [done()], b: [done()], c: [done()], judge: [done("1", { branch: "redo" }), done("2", { branch: "replan" }), done("3", { branch: "redo" })] },
    run: { flow: "f", task: "go" },
    expect({ run, of, requests }) {
      assert.equal(run.status, "succeeded");
      assert.deepEqual(loopEvents(of), [["review", 1, 1, "build"], ["review", 1, 1, "plan"]]);
      assert.deepEqual(of("loop.exhausted").map((e) => [e.step, e.target]), [["review", "bad-end"]]);
      assert.deepEqual(of("branch.taken").filter((e) => e.step === "review").map((e) => [e.branch, e.by]), [["redo", "agent"], ["replan", "agent"], ["drop", "cap"]]);
      assert.deepEqual([run.steps.good.status, run.steps["bad-end"].status], ["skipped", "complete"]);
      assert.deepEqual([asksOf(requests, "a").length, asksOf(requests, "c").length, asksOf(requests, "judge").length], [3, 2, 3]);
    },
  },
  {
    rule: "F18", name: "without on_exhausted the first forward branch is taken; with no forward branch the run falls through",
    catalog: { agents: base, flows: {
      "f.yaml": flow("f", `
  - { id: build, type: agent, agent: a }
  - { id: review, type: agent-decision, agent: judge, branches: { redo: build, ship: good, drop: other }, max_iterations: 1 }
  - { id: good, type: agent, agent: b }
  - { id: other, type: agent, agent: c }
`),
      "g.yaml": flow("g", `
  - { id: pre, type: agent, agent: b }
  - { id: sep, type: wait, for: 1 }
  - { id: build, type: agent, agent: a }
  - { id: review, type: agent-decision, agent: judge, branches: { redo: build, restart: pre }, max_iterations: 1 }
  - { id: next, type: agent, agent: c }
`) } },
    model: { a: [done()], b: [done()], c: [done()], judge: [done("more", { branch: "redo" })] },
    async expect({ api }) {
      const f = await api.settle(await api.start("f", { task: "go" }), [], 8_000);
      assert.deepEqual(statuses(f), { build: "complete", review: "complete", good: "complete", other: "skipped" });
      assert.equal(f.steps.build.pass, 2);
      const g = await api.settle(await api.start("g", { task: "go" }), [], 8_000);
      assert.equal(g.status, "succeeded");
      assert.equal(g.steps.next.status, "complete");
      assert.equal(g.steps.build.pass, 2);
    },
  },
  {
    rule: "F18", name: "the check asks for the cap, names the branch that exhaustion takes, and refuses other ways back",
    catalog: { agents: base },
    async expect({ api }) {
      const tail = "  - { id: y, type: agent, agent: b }\n  - { id: z, type: agent, agent: c }\n";
      const head = "  - { id: x, type: agent, agent: a }\n";
      const capless = await check(api, flow("x", `${head}  - { id: d, type: agent-decision, agent: judge, branches: { back: x, on: y } }\n${tail}`));
      assert.match(capless.must("FV-DEC-LOOP", "error").suggestion, /max_iterations/);
      const two = await check(api, flow("x", `${head}  - { id: d, type: agent-decision, agent: judge, branches: { back: x, on: y, off: z }, max_iterations: 2 }\n${tail}`));
      clean(two);
      assert.match(two.must("FV-EXHAUSTED", "warning").message, /\bon\b/);
      for (const step of ["type: agent, agent: a, on_error: x", "type: conditional, check: x.summary, present: x, absent: z", "type: conditional, check: x.summary, present: z, absent: x"]) {
        const c = await check(api, flow("x", `${head}  - { id: w, type: wait, for: 1 }\n  - { id: d, ${step} }\n${tail}`));
        const d = c.must("FV-ROUTE-BACK", "error");
        assert.match(`${d.message} ${d.suggestion}`, /decision/, step);
      }
    },
  },
  {
    rule: "F18", name: "a fork goes back as often as a person chooses, without a cap",
    catalog: { agents: base, flows: { "f.yaml": flow("f", `
  - { id: draft, type: agent, agent: a, task: "v ${ref("fork.like.notes")}" }
  - { id: like, type: fork, question: "Like it?", options: [again, fine], branches: { again: draft, fine: end } }
  - { id: end, type: agent, agent: c }
`) } },
    model: { a: [done()], c: [done()] },
    run: { flow: "f", task: "go", autonomous: false },
    answers: [{ answer: "again", notes: "shorter" }, { answer: "again" }, { answer: "again" }, { answer: "fine" }],
    expect({ run, requests, of }) {
      assert.equal(run.status, "succeeded");
      assert.equal(asksOf(requests, "a").length, 4);
      assert.match(asksOf(requests, "a")[1].user, /v shorter/);
      assert.deepEqual(of("branch.taken").map((e) => e.by), ["person", "person", "person", "person"]);
      assert.equal(of("loop.exhausted").length, 0);
    },
  },
  {
    rule: "F18", name: "an autonomous fork goes back at most max_iterations times",
    catalog: { agents: base, flows: { "f.yaml": flow("f", `
  - { id: draft, type: agent, agent: a }
  - { id: like, type: fork, agent: judge, question: "Like it?", options: [again, fine], branches: { again: draft, fine: end }, max_iterations: 2 }
  - { id: end, type: agent, agent: c }
`) } },
    model: { a: [done()], judge: [done("no", { branch: "again" })], c: [done()] },
    run: { flow: "f", task: "go", autonomous: true },
    expect({ run, requests, of }) {
      assert.equal(run.status, "succeeded");
      assert.equal(asksOf(requests, "a").length, 3);
      assert.equal(of("branch.taken").at(-1).by, "cap");
      assert.equal(run.steps.end.status, "complete");
    },
  },
  {
    rule: "F19", name: "every step between target and decider is reopened, steps beside them keep their results; counters inside restart",
    catalog: { agents: base, flows: { "f.yaml": flow("f", `
  - { id: beside, type: agent, agent: b }
  - { id: build, type: agent, agent: a }
  - { id: polish, type: agent, agent: a, blockedBy: build }
  - { id: inner, type: agent-loop-decision, agent: judge, task: more?, loop_target: build, exit_target: mid, max_iterations: 2 }
  - { id: mid, type: agent, agent: c }
  - { id: outer, type: agent-decision, agent: judge2, branches: { redo: build, end: fin }, max_iterations: 1 }
  - { id: fin, type: wait, for: 1 }
`) } },
    model: { a: [done()], b: [done("once")], c: [done()],
      judge: [done("1", { branch: "loop" }), done("2", { branch: "exit" }), done("3", { branch: "loop" }), done("4", { branch: "exit" })],
      judge2: [done("r", { branch: "redo" }), done("e", { branch: "end" })] },
    run: { flow: "f", task: "go" },
    expect({ run, of, requests }) {
      assert.equal(run.status, "succeeded");
      assert.deepEqual(of("loop.iteration").filter((e) => e.step === "inner").map((e) => e.iteration), [1, 2, 1, 2]);
      assert.deepEqual([run.steps.build.pass, run.steps.polish.pass, run.steps.mid.pass, run.steps.beside.pass], [4, 4, 2, 1]);
      assert.equal(asksOf(requests, "b").length, 1);
      assert.equal(run.steps.beside.summary, "once");
      assert.ok(of("step.reopened").some((e) => e.step === "mid" && e.pass === 2));
    },
  },
  {
    rule: "F19", name: "the result of a reopened step is its previous pass until it finishes again",
    catalog: { agents: base, flows: { "f.yaml": flow("f", `
  - { id: build, type: agent, agent: a, task: "said: [${ref("result.critic.summary")}]" }
  - { id: critic, type: agent, agent: b, blockedBy: build, task: "had: [${ref("result.build.summary")}]" }
  - { id: again, type: agent-loop-decision, agent: judge, task: more?, loop_target: build, exit_target: end, max_iterations: 3 }
  - { id: end, type: wait, for: 1 }
`) } },
    model: { a: [done("v1"), done("v2")], b: [done("too long"), done("good")], judge: [done("l", { branch: "loop" }), done("e", { branch: "exit" })] },
    run: { flow: "f", task: "go" },
    expect({ run, requests }) {
      assert.equal(run.status, "succeeded");
      assert.match(asksOf(requests, "a")[0].user, /said: \[\]/);
      assert.match(asksOf(requests, "a")[1].user, /said: \[too long\]/);
      assert.match(asksOf(requests, "b")[1].user, /had: \[v2\]/);
    },
  },
  {
    rule: "F20", name: "a wrong label is answered with the labels and may be corrected",
    catalog: { agents: base, flows: { "f.yaml": flow("f", `
  - { id: pick, type: agent-decision, agent: judge, branches: { fast: x, thorough: y } }
  - { id: x, type: agent, agent: a }
  - { id: y, type: agent, agent: b }
`) } },
    model: { judge: [done("so", { branch: "maybe" }), done("so", { branch: "thorough" })], a: [done()], b: [done()] },
    run: { flow: "f", task: "go" },
    expect({ run, requests, of }) {
      assert.equal(run.status, "succeeded");
      assert.match(toolResult(requests[1]), /fast.*thorough/s);
      assert.equal(of("finish.rejected").length, 1);
      assert.deepEqual(statuses(run), { pick: "complete", x: "skipped", y: "complete" });
    },
  },
  {
    rule: "F20", name: "no label within the allowance: no_branch, hard, past on_error",
    catalog: { agents: base, flows: { "f.yaml": flow("f", `
  - { id: pick, type: agent-decision, agent: judge, branches: { fast: x, thorough: y }, on_error: rescue }
  - { id: x, type: agent, agent: a }
  - { id: y, type: agent, agent: b }
  - { id: gate, type: conditional, check: x.summary, present: fin, absent: fin }
  - { id: rescue, type: agent, agent: c }
  - { id: fin, type: agent, agent: c }
`) } },
    model: { judge: [done("so")], a: [done()], b: [done()], c: [done()] },
    run: { flow: "f", task: "go" },
    expect({ run, requests }) {
      assert.equal(run.status, "failed");
      assert.deepEqual([run.error.step, run.error.source], ["pick", "no_branch"]);
      assert.match(run.error.message, /fast.*thorough/s);
      assert.equal(requests.length, 3, "one try and two more");
    },
  },
  {
    rule: "F20", name: "a decision that finishes with error or blocked needs no branch and fails softly",
    catalog: { agents: base, flows: { "f.yaml": flow("f", `
  - { id: pick, type: agent-decision, agent: judge, branches: { fast: x, thorough: y }, on_error: rescue }
  - { id: x, type: agent, agent: a }
  - { id: y, type: agent, agent: b }
  - { id: sep, type: wait, for: 1 }
  - { id: rescue, type: agent, agent: c }
`) } },
    model: { judge: [{ finish: { status: "blocked", summary: "cannot tell" } }], a: [done()], b: [done()], c: [done()] },
    run: { flow: "f", task: "go" },
    expect({ run, of, requests }) {
      assert.equal(run.status, "succeeded");
      assert.equal(of("finish.rejected").length, 0);
      assert.deepEqual(statuses(run), { pick: "blocked", x: "skipped", y: "skipped", sep: "skipped", rescue: "complete" });
      assert.equal(requests.length, 2);
    },
  },
];
