// What was admitted before a pause is looked at again by the rules of the resume [G1]: a pause may last for days.

import { expect, test } from "vitest"
import { DEFAULT_POLICY, type Policy, type Rules } from "../../../src/core/policy/policy.ts"
import { agent, flowOf, planOf } from "./builders.ts"
import { Shell } from "./shell.ts"
