// What stands in for a part of the page that could not be loaded, because the connection is lost or a new version of the console is out, or that
// has stopped by a fault of its own. What is around it stays.

import { Component, useState, type ReactNode } from "react"
import { faultOf } from "./fault.ts"

interface Props {
  /** Another value, another try. */
  readonly of: string
  /** Completes "could not be shown". */
  readonly what: string
  readonly isPage?: true
  readonly children: ReactNode
}

interface State {
  readonly of: string
  readonly error?: unknown
}

export class Guard extends Component<Props, State> {
  static getDerivedStateFromError(error: unknown): Pick<State, "error"> {
    return { error: error ?? new Error("It stopped without a reason.") }
  }

  static getDerivedStateFromProps({ of }: Props, state: State): State | null {
    return of === state.of ? null : { of, error: undefined }
  }

  override state: State = { of: this.props.of }

  override render(): ReactNode {
    const { what, isPage, children } = this.props
    const { error } = this.state
    if (error === undefined) return children
    return isPage ? (
      <main id="main" className="page">
        <Stopped what={what} error={error} isPage />
      </main>
    ) : (
      <Stopped what={what} error={error} />
    )
  }
}

/** How browsers say that a file of the page did not come. */
const LOADING = /import|preload|module/i

function Stopped({ what, error, isPage }: Pick<Props, "what" | "isPage"> & { readonly error: unknown }) {
  const [isTrying, setTrying] = useState(false)
  const [fault, setFault] = useState<string>()
  const isLoading = error instanceof Error && LOADING.test(error.message)
  const again = (): void => {
    if (isTrying) return
    setTrying(true)
    setFault(undefined)
    // A page that is loaded anew while nothing answers would be gone with its bar.
    fetch("/console/", { cache: "no-store" }).then(
      () => location.reload(),
      () => {
        setFault("The server did not answer.")
        setTrying(false)
      },
    )
  }
  return (
    <div className="empty-state" role="alert">
      {isPage ? <h1>{`${what} could not be shown`}</h1> : <p>{`${what} could not be shown.`}</p>}
      <p className="mid">
        {isLoading ? "Part of the console could not be loaded: the connection was lost, or a new version is out." : faultOf(error)}
      </p>
      <p>
        <button className="btn" type="button" aria-disabled={isTrying} onClick={again}>
          {isTrying ? "Trying" : "Try again"}
        </button>
      </p>
      {fault !== undefined && <p className="mid">{fault}</p>}
    </div>
  )
}
