import type { TestReport } from "../../ports/trials.ts"
export declare function junit({ flow, failed, cases }: TestReport): string
