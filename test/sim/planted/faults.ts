// Faults: the eighteen that a review proved by failing tests, each put back alone.

import type { PlantedFault } from "./fault.ts"
import { RUN_FAULTS } from "./run-faults.ts"
import { TENANT_FAULTS } from "./tenant-faults.ts"

export const FAULTS: readonly PlantedFault[] = [...RUN_FAULTS, ...TENANT_FAULTS]
