// Builds the dependencies of a backtest that continues live [K23]: the tenant's models, and for tools the network, memory and shared files,
// under the tenant's current rules and secrets. Powers that would outlast it are absent: plans, child runs, a sandbox, a browser.

import { defined } from "../../core/defined.ts"
import { canonical } from "../../core/json.ts"
import type { Pins } from "../../core/run/event-parts.ts"
import { readCalls } from "../../core/run/session/calls.ts"
import type { Course } from "../../engine/backtest/course.ts"
import { courseJournal } from "../../engine/backtest/course-journal.ts"
import type { LiveDeps, Spending } from "../../engine/backtest/live.ts"
import { askWithin } from "../../engine/backtest/live-ask.ts"
import { loadDefinitions, storedHandler } from "../../engine/catalog/definitions.ts"
import { skillLibrary } from "../../engine/catalog/skill-library.ts"
import { permitting, wayOf } from "../../engine/net/guarded-fetch.ts"
import { netOf } from "../../engine/net/net.ts"
import { scopedSecrets } from "../../engine/run/call/tool-secrets.ts"
import { perform } from "../../engine/run/perform.ts"
import type { EffectDeps } from "../../engine/run/call/effect-deps.ts"
import { chooseInTurn } from "../clients/choose-in-turn.ts"
import { stopBy } from "../../models/rehearsed/turns.ts"
import type { FinalMessage } from "../../ports/model.ts"
import { signalAfter } from "../../ports/timers.ts"
import { r2Blobs } from "../blobs/blobs-r2.ts"
import { tenantPowers } from "../capabilities/tenant-powers.ts"
import { clock } from "../platform/clock.ts"
import type { Env } from "../platform/env.ts"
import { modelDoor } from "../platform/model-door.ts"
import { sha256 } from "../platform/sha256.ts"
import { toolboxOf } from "../definitions/toolbox.ts"
import { shellOf } from "../sandbox/containers.ts"
import { loaderSandbox } from "../sandbox/sandbox-loader.ts"
import { repeats } from "../../tools/toolbox.ts"
import { portOf } from "../platform/port-of.ts"
import { openVault } from "../clients/secrets.ts"
import { cleanReply } from "../../engine/run/arrival.ts"

interface Going {
  readonly env: Env
  readonly tenant: string
  readonly spending: Spending
  readonly unaccepted?: true
}

const TURN_MS = 60_000
const CALL_MS = 120_000

export function liveDeps({ env, tenant, spending, unaccepted }: Going): LiveDeps {
  const starts = portOf(env, tenant, "starts")
  const loaded = new WeakMap<Course, Promise<EffectDeps>>()
  const propsOf = (course: Course): Promise<EffectDeps> => {
    const props = loaded.get(course) ?? propsFor(env, tenant, course)
    loaded.set(course, props)
    return props
  }
  return {
    spending,
    ...defined({ unaccepted }),
    now: () => clock.now(),
    async perform(course, effect) {
      const { signal } = await perform(await propsOf(course), course.run, effect, stopBy(signalAfter(CALL_MS)))
      return signal
    },
    async ask({ request, turns, ref }, { input, left }) {
      const { redactor } = await openVault(env, tenant, clock.now)()
      const chosen = await chooseInTurn({ env, tenant, rank: "low" }, ref, { ...modelDoor(env), rehearsal: undefined })
      if ("error" in chosen) return undefined
      const messages = turns.map((turn) => {
        if (turn.role !== "assistant") return turn
        const { state: _sealed, ...plain } = turn
        return plain
      })
      const thinking = defined({ thinking: chosen.thinking })
      const asked = { ...request, messages, model: chosen.id, ...thinking }
      const answer = await askWithin(
        {
          clock,
          dayBudget: portOf(env, tenant, "dayBudget"),
          ground: (model) => starts.groundTurn(model, {}),
          async send(maxOutputTokens) {
            let final: FinalMessage | undefined
            for await (const chunk of chosen.model.reply({ ...asked, redactor, maxOutputTokens }, signalAfter(TURN_MS)))
              if (chunk.type === "final") final = await cleanReply(chunk, redactor)
            return { final, toolCalls: readCalls(final?.toolCalls ?? [], { taken: final?.text.length ?? 0, hash: sha256 }) }
          },
        },
        { ref, input, most: request.maxOutputTokens, left },
      )
      if (!answer) return undefined
      const { final, toolCalls, amount, usd } = answer
      const spent = { tokens: amount.tokens ?? 0, usd }
      if (!final) return spent
      return {
        ...spent,
        reply: {
          text: final.text,
          thinking: final.thinking,
          toolCalls: [...toolCalls],
          usage: final.usage ?? { input: 0, output: 0 },
          stopReason: final.stopReason,
          system: sha256(request.system),
          request: sha256(canonical({ ...asked, place: null })),
        },
      }
    },
  }
}

async function propsFor(env: Env, tenant: string, course: Course): Promise<EffectDeps> {
  const pins = pinsOf(course)
  const blobs = r2Blobs(env, tenant, () => undefined)
  const definitions = await loadDefinitions(pins, blobs)
  const vault = openVault(env, tenant, clock.now)
  const never = (): Promise<never> => Promise.reject(new Error("a backtest does not do this"))
  const powers = tenantPowers(env, tenant)
  return {
    journal: courseJournal(course),
    blobs,
    clock,
    tools: toolboxOf(definitions, shellOf(env, tenant)),
    skills: skillLibrary(definitions.skills, blobs),
    author: { agents: never, writeAgent: never, writeFlow: never },
    hash: sha256,
    choose: never,
    asking: () => undefined,
    handler: storedHandler(pins, blobs),
    sandbox: loaderSandbox(env.LOADER, tenant),
    sessions: portOf(env, tenant, "sessions"),
    cached: { find: never },
    sealing: { seal: never, open: never },
    lease: never,
    startChild: never,
    repeats,
    commitBelow: never,
    rules: async () => course.run.rules,
    redactor: async () => (await vault()).redactor,
    powers: (tool, permits) => {
      const secrets = scopedSecrets(tool, async (fresh) => (await vault(fresh)).secrets)
      const net = netOf({ ...wayOf(env), permits: permitting(permits) })
      return { ...powers, net, ...defined({ secrets }) }
    },
    delta: () => undefined,
    progress: () => undefined,
  }
}

function pinsOf({ events: [first] }: Course): Pins {
  if (first?.type !== "run.started") throw new Error("a course begins with its start")
  return first.pinned
}
