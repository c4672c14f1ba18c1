// What stands in for a part of the page that could not be loaded, because the connection is lost or a new version of the console is out, or that
// has stopped by a fault of its own. What is around it stays.

import { Component, useState, type ReactNode } from "react"
import { classes } from "./classes.ts"
import { faultOf } from "./fault.ts"
import css from "./guard.module.css"
import { forgetFailed } from "./later.ts"

interface Props {
  /** Another value, another try. */
  readonly of: string
  /** Completes "could not be shown". */
  readonly what: string
  readonly isPage?: true
  /** It was to stand over the page: so does what takes its place, until it is closed. */
  readonly onClose?: () => void
  readonly onStopped?: () => void
  /** What can do without the part that did not come. */
  readonly instead?: ReactNode
  readonly children: ReactNode
}

interface State {
  readonly of: string
  readonly error?: unknown
  readonly isAgain?: boolean
}

export class Guard extends Component<Props, State> {
  static getDerivedStateFromError(error: unknown): Pick<State, "error"> {
    return { error: error ?? new Error("It stopped without a reason.") }
  }

  static getDerivedStateFromProps({ of }: Props, state: State): State | null {
    if (of === state.of) return null
    if (state.error !== undefined) forgetFailed()
    return { of, error: undefined, isAgain: false }
  }

  override state: State = { of: this.props.of }

  override componentDidCatch(error: unknown): void {
    this.props.onStopped?.()
    if (this.state.isAgain !== true || !isLoading(error)) return
    this.setState({ isAgain: false })
    // The server answers and the file does not come: a new version is out, and its page has other files.
    fetchPage().then(
      () => location.reload(),
      () => undefined,
    )
  }

  override componentWillUnmount(): void {
    if (this.state.error !== undefined) forgetFailed()
  }

  override render(): ReactNode {
    const { what, isPage, onClose, instead, children } = this.props
    const { error } = this.state
    if (error === undefined) return children
    if (instead !== undefined) return instead
    const again = (): void => {
      if (!isLoading(error)) return location.reload()
      forgetFailed()
      this.setState({ error: undefined, isAgain: true })
    }
    const stopped = <Stopped what={what} error={error} isPage={isPage === true} onAgain={again} {...(onClose && { onClose })} />
    return isPage ? (
      <main id="main" className="page">
        {stopped}
      </main>
    ) : (
      stopped
    )
  }
}

/** A page that is loaded anew while nothing answers would be gone with its bar. */
const fetchPage = (): Promise<Response> => fetch("/console/", { cache: "no-store" })

/** How browsers say that a file of the page did not come. */
const isLoading = (error: unknown): boolean => error instanceof Error && /import|preload|module/i.test(error.message)

interface StoppedProps extends Pick<Props, "what" | "onClose"> {
  readonly isPage: boolean
  readonly error: unknown
  readonly onAgain: () => void
}

function Stopped({ what, error, isPage, onAgain, onClose }: StoppedProps) {
  const [isTrying, setTrying] = useState(false)
  const [fault, setFault] = useState<string>()
  const again = (): void => {
    if (isTrying) return
    setTrying(true)
    setFault(undefined)
    fetchPage().then(onAgain, () => {
      setFault("The server did not answer.")
      setTrying(false)
    })
  }
  return (
    <div className={classes("empty-state", onClose && css.over)} role="alert">
      {isPage ? <h1>{`${what} could not be shown`}</h1> : <p>{`${what} could not be shown.`}</p>}
      <p className="mid">
        {isLoading(error) ? "Part of the console could not be loaded: the connection was lost, or a new version is out." : faultOf(error)}
      </p>
      <p>
        <button className="btn" type="button" aria-disabled={isTrying} onClick={again}>
          {isTrying ? "Trying" : "Try again"}
        </button>{" "}
        {onClose && (
          <button className="btn" type="button" onClick={onClose}>
            Close
          </button>
        )}
      </p>
      {fault !== undefined && <p className="mid">{fault}</p>}
    </div>
  )
}
