// A property as a test: fast-check inside vitest, with the seed in the failure.

import fc from "fast-check"
import { test as vitestTest } from "vitest"

export { fc }

export function test<T extends [unknown, ...unknown[]]>(
  name: string,
  { runs }: { readonly runs: number },
  arbitraries: { [K in keyof T]: fc.Arbitrary<T[K]> },
  predicate: (...args: T) => Promise<void>,
): void {
  vitestTest(name, async () => {
    await fc.assert(fc.asyncProperty(...arbitraries, predicate), { numRuns: runs })
  })
}
