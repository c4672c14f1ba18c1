// States the platform's limits of one invocation by plan, from Cloudflare's docs (read in November 2026, docs/decisions/0048). Local
// workerd enforces none of them.

export interface PlatformPlan {
  readonly name: "free" | "paid"
  /** Calls to the Internet. */
  readonly calls: number
  /** Calls to the platform's own services: KV, R2, objects, other Workers. */
  readonly inner: number
  /** Connections that wait for the head of an answer; a further one waits for its turn. */
  readonly waiting: number
  /** Invocations of which one request may consist. */
  readonly invocations: number
  /** Distinct Dynamic Workers with a request in flight, of an object and of a Worker. */
  readonly dynamic: { readonly object: number; readonly request: number }
  /** Whether Dynamic Workers, which code steps need, are part of the plan. */
  readonly loader: boolean
}

const BOTH = { waiting: 6, invocations: 32, dynamic: { object: 10, request: 4 } } as const

export const PLANS: Readonly<Record<PlatformPlan["name"], PlatformPlan>> = {
  free: { name: "free", calls: 50, inner: 1_000, loader: false, ...BOTH },
  paid: { name: "paid", calls: 10_000, inner: 10_000, loader: true, ...BOTH },
}
