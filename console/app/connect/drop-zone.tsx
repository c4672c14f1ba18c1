// Where a folder or a zip is dropped, or chosen by the keyboard. Nothing is sent from here.

import { useRef, useState, type DragEvent, type ReactNode } from "react"
import { faultOf } from "../parts/fault.ts"
import { FaultLine } from "../inbox/fault-line.tsx"
import { Icon } from "../shell/icons.tsx"
import { dropped, givenBy, hold, type GivenFolder } from "./given-files.ts"
import { classes } from "../parts/classes.ts"
import css from "./drop-zone.module.css"

interface Props {
  readonly isTall?: boolean
  /** They are held for who takes them. */
  readonly onFiles: () => void
  readonly children?: ReactNode
}

const NONE = "No files found in what you dropped."

export function DropZone({ isTall = false, onFiles, children }: Props) {
  const [isOver, setOver] = useState(false)
  const [fault, setFault] = useState<string>()
  const [folder, zip] = [useRef<HTMLInputElement>(null), useRef<HTMLInputElement>(null)]
  const take = (given: GivenFolder | undefined): void => {
    if (given === undefined) return setFault(NONE)
    hold(given)
    onFiles()
  }
  const drop = (event: DragEvent): void => {
    event.preventDefault()
    setOver(false)
    setFault(undefined)
    dropped(event.dataTransfer).then(take, (error: unknown) => setFault(faultOf(error)))
  }
  const choose = (list: FileList | null): void => {
    if (list && list.length > 0) take(givenBy(list))
  }
  return (
    <section
      className={classes(css.drop, isTall && css.tall, isOver && css.isOver)}
      aria-label="A folder or a zip"
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Icon name="folder" />
      <div className="grow">
        <h2>Drop your .claude folder here</h2>
        <p className="mid">
          Agents, skills, commands and MCP servers. You preview what is imported, what is skipped and why, before anything is saved.
        </p>
        <FaultLine fault={fault} />
      </div>
      <div className="bar">
        <button className="btn" type="button" onClick={() => folder.current?.click()}>
          Choose a folder
        </button>
        <button className="btn" type="button" onClick={() => zip.current?.click()}>
          Choose a zip
        </button>
        {children}
      </div>
      <input
        ref={(node) => {
          folder.current = node
          // React knows no such attribute.
          node?.setAttribute("webkitdirectory", "")
        }}
        type="file"
        multiple
        hidden
        aria-label="Folder"
        onChange={({ target }) => choose(target.files)}
      />
      <input ref={zip} type="file" accept=".zip,application/zip" hidden aria-label="Zip" onChange={({ target }) => choose(target.files)} />
    </section>
  )
}
