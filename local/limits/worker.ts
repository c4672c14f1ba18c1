// Runs the Worker under the platform's limits, for `npm run serve -- --limits free|paid`: the same exports, with every event metered. `GET
// /__limits` shows the highest counts of any invocation since the last `?reset=1`, and what was refused.

import { AsyncLocalStorage } from "node:async_hooks"
import { RpcTarget } from "cloudflare:workers"
import type { Env } from "../../src/cloudflare/platform/env.ts"
import type { Courier, Parcel } from "../../src/cloudflare/outgoing/parcel.ts"
import worker, {
  Couriers as RealCouriers,
  DirectoryObject as Directory,
  MemoryObject as Memory,
  RunObject as Run,
  TenantObject as Tenant,
} from "../../src/index.ts"
import { limitedEnv, limitedExports } from "./bindings.ts"
import { Meter, Peaks } from "./meter.ts"
import { PLANS, type PlatformPlan } from "./plans.ts"
import { keepInvocations } from "./streams.ts"

interface LimitedEnv extends Env {
  readonly PLATFORM_LIMITS: PlatformPlan["name"]
  /** "yes": Dynamic Workers, whatever the plan says. */
  readonly PLATFORM_LOADER?: string
}

const peaks = new Peaks()
const invocation = new AsyncLocalStorage<Meter>()
const envs = new WeakMap<object, Env>()

function current(): Meter | undefined {
  const meter = invocation.getStore()
  if (!meter) peaks.unknown++
  return meter
}

/** The same object for each isolate's environment: the Worker keeps it. */
function limited(env: LimitedEnv): Env {
  const known = envs.get(env) ?? limitedEnv(env, env.PLATFORM_LOADER === "yes" || PLANS[env.PLATFORM_LIMITS].loader, current)
  envs.set(env, known)
  return known
}

keepInvocations()
const real = globalThis.fetch
globalThis.fetch = (async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
  const meter = current()
  if (!meter) return real(input, init)
  meter.call()
  return meter.connected(() => real(input, init), init?.signal)
}) as typeof fetch

type ObjectClass<T> = new (ctx: DurableObjectState, env: Env) => T

/** Each of the object's methods is an event, and its connections count together. */
function metered<T extends object>(Real: ObjectClass<T>): ObjectClass<T> {
  const meters = new WeakMap<object, Meter>()
  const Limited = class extends (Real as ObjectClass<object>) {
    constructor(ctx: DurableObjectState, env: Env) {
      const { PLATFORM_LIMITS } = env as LimitedEnv
      const meter = new Meter(PLANS[PLATFORM_LIMITS], "object", peaks)
      Object.defineProperty(ctx, "exports", { value: limitedExports(ctx.exports, current) })
      super(ctx, limited(env as LimitedEnv))
      meters.set(this, meter)
    }
  }
  for (const name of Object.getOwnPropertyNames(Real.prototype)) {
    const method: unknown = Reflect.get(Real.prototype, name)
    if (name === "constructor" || typeof method !== "function") continue
    Object.defineProperty(Limited.prototype, name, {
      value(this: object, ...args: readonly unknown[]): unknown {
        const meter = meters.get(this)
        meter?.event()
        const run = (): unknown => Reflect.apply(method, this, args)
        return meter ? invocation.run(meter, run) : run()
      },
    })
  }
  return Limited as unknown as ObjectClass<T>
}

export const RunObject = metered(Run)
export const TenantObject = metered(Tenant)
export const MemoryObject = metered(Memory)
export const DirectoryObject = metered(Directory)

export class Couriers extends RealCouriers {
  override async hire(): Promise<LimitedCourier & Awaited<ReturnType<RealCouriers["hire"]>>> {
    const { PLATFORM_LIMITS } = this.env as LimitedEnv
    const meter = new Meter(PLANS[PLATFORM_LIMITS], "courier", peaks)
    meter.event()
    return new LimitedCourier(await super.hire(), meter) as LimitedCourier & Awaited<ReturnType<RealCouriers["hire"]>>
  }
}

class LimitedCourier extends RpcTarget implements Courier {
  readonly #courier: Courier
  readonly #meter: Meter

  constructor(courier: Courier, meter: Meter) {
    super()
    this.#courier = courier
    this.#meter = meter
  }

  send(call: number, parcel: Parcel): ReturnType<Courier["send"]> {
    return invocation.run(this.#meter, () => this.#courier.send(call, parcel))
  }

  drop(call: number): Promise<void> {
    return invocation.run(this.#meter, () => this.#courier.drop(call))
  }
}

export default {
  fetch(request, env, ctx) {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname === "/__limits") {
      const shown = peaks.shown()
      if (searchParams.get("reset") === "1") peaks.reset()
      return Response.json(shown)
    }
    const meter = new Meter(PLANS[env.PLATFORM_LIMITS], "request", peaks)
    meter.event()
    return invocation.run(meter, () => worker.fetch(request as Parameters<typeof worker.fetch>[0], limited(env), ctx))
  },
} satisfies ExportedHandler<LimitedEnv>
