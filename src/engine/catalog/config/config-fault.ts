// Defines a fault of a file that configures the tenant [F79], before its place in the text is known.

import type { DiagnosticCode } from "../../../core/diagnostic-codes.ts"
import type { BodyFault } from "../../../core/schema/body-faults.ts"

export interface ConfigFault extends BodyFault {
  readonly code: DiagnosticCode
  readonly isWarning?: true
}
