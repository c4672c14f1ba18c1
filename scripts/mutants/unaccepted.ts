// Faults by which something acts that nobody accepted [K9, 13.7], or acts twice, each with the test that must find it.

import type { Mutant } from "./mutant.ts"

const CUT = "core/run/fork/cut.test.ts"
const ANEW = "core/run/fork/ask-anew.test.ts"

export const UNACCEPTED: readonly Mutant[] = [
  {
    name: "K9 let an approval of the history count in a fork",
    file: "core/run/fork/admit-fork.ts",
    find: `draft.take(askedAnew(draft.run, signal.digests ?? {}, signal.at))`,
    put: ``,
    test: [ANEW, "at every cut before its result, a live fork asks again"],
  },
  {
    name: "K9 ask anew only about calls that never began",
    file: "core/run/fork/ask-anew.ts",
    find: `const { approved: args, call } = open`,
    put: `const { approved, args: begun, call } = open
      const args = begun === undefined ? approved : undefined`,
    test: [ANEW, "put: at every cut before its result, a live fork asks again"],
  },
  {
    name: "F77 let the reads of an agent's draft leave",
    file: "engine/run/call/held-back.ts",
    find: `run.unaccepted === true && tool.reach !== undefined`,
    put: `run.unaccepted === true && tool.reach === undefined && tool.name === ""`,
    test: ["engine/run/held-back.test.ts", "lookup is not made"],
  },
  {
    name: "F77 lend the network to a tool of an agent's draft",
    file: "engine/run/call/held-back.ts",
    find: `if (run.unaccepted !== true) return powers`,
    put: `if (run.unaccepted !== undefined) return powers`,
    test: ["engine/run/held-back.test.ts", "a tool that says of itself that it stays inside"],
  },
  {
    name: "F77 carry out the writes of an agent's draft in a live fork",
    file: "core/run/effects/keep.ts",
    find: `(run.effects !== undefined || run.unaccepted === true)`,
    put: `run.effects !== undefined`,
    test: [CUT, "[F77] a fork with definitions that nobody accepted"],
  },
  {
    name: "F77 forget in a child what its parent tries",
    file: "engine/run/begin/start.ts",
    find: `unaccepted: from.unaccepted,`,
    put: ``,
    test: ["engine/run/held-back.test.ts", "its children are marked"],
  },
  {
    name: "J11 make a call again for a file, whatever it sent",
    file: "engine/run/call/run-tool.ts",
    find: `const once = !props.repeats(tool) || traffic.hasSent()`,
    put: `const once = tool.name === ""`,
    test: ["engine/run/landing.test.ts", "that sends and writes a file is not made again"],
  },
  {
    name: "K23 read a forked run by its source's definitions alone",
    file: "engine/backtest/backtest-run.ts",
    find: `if (e.type === "run.forked" && e.pinned) eras.push`,
    put: `if (e.type === "run.forked" && e.pinned && e.seq === 0) eras.push`,
    test: ["engine/backtest/forked.test.ts", "[K23] a fork with definitions of its own"],
  },
  {
    name: "K23 go past the cut of a fork",
    file: "engine/backtest/course.ts",
    find: `if (this.events.length - from >= most) throw new CutShort()`,
    put: ``,
    test: ["engine/backtest/forked.test.ts", "[K23] random forks at random cuts"],
  },
  {
    name: "Q3 keep from the agent what a person made of its call",
    file: "core/run/session/conversation.ts",
    find: `content: toldWith(e),`,
    put: `content: e.content,`,
    test: ["core/run/session/person-said.test.ts", "[Q3] an edited call"],
  },
  {
    name: "J21 send a repeated id again",
    file: "core/run/session/conversation.ts",
    find: `shown: ids.of(c.id)`,
    put: `shown: c.id`,
    test: ["core/run/session/person-said.test.ts", "[J21] ids that a model repeats"],
  },
  {
    name: "Q1 let a step's time run while a person is asked",
    file: "core/run/steps/pause.ts",
    find: `return isAsking(run, id) ? undefined : timed`,
    put: `return timed < 0 ? undefined : timed`,
    test: ["core/run/steps/asked-time.test.ts", "[Q1] stands still while its own agent asks"],
  },
  {
    name: "Q1 give a step back no time that a person took",
    file: "core/run/steps/asked-time.ts",
    find: `s.askedFor = (s.askedFor ?? 0) + Math.max(0, now - from)`,
    put: `s.askedFor = 0 * from`,
    test: ["core/run/steps/asked-time.test.ts", "[Q1] stands still while its own agent asks"],
  },
  {
    name: "K9 begin a call of a fork while its approval is open",
    file: "core/run/session/apply-session.ts",
    find: `const left = isOpen(last) && !all.includes(last) ? last : all.find(isOpen)`,
    put: `const left = all.find(isOpen)`,
    test: [ANEW, "[K9] waits for both answers while its server's question is open: i2, then i3"],
  },
]
